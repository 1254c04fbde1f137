/**
 * The process behind `npm run drill -- installs`: installs the packed package in an empty folder next to each framework,
 * client and runtime that it names, and runs a program there. It needs a registry. It ends with its parent process, and what
 * it started ends with it. `-- installs NAME…` runs only these.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import pLimit from 'p-limit';
import { providePackage } from '../../scripts/lib/limiter-package';
import { stopCommands } from '../../scripts/lib/processes.mjs';
import { killServices, stopServices } from '../../scripts/lib/services/spawn-service.mjs';
import { createSteps, describeError, StepError } from '../../scripts/lib/steps.mjs';
import { listExamples } from './examples';
import type { Installation } from './installation';
import { listPairs } from './pairs';

/** Most machines of CI have two cores, and npm waits for the network and the disk in between. */
const AT_ONCE = 3;
/** The whole drill is stopped after this time. */
const WITHIN_MS = 15 * 60_000;

async function main(): Promise<void> {
  const installations = select([...listPairs(), ...(await listExamples())], process.argv.slice(2));
  const folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-installs-'));
  const unfinished = new Set(installations.map(({ name }) => name));
  const limit = pLimit(AT_ONCE);
  const stop = async (reason: string) => {
    limit.clearQueue();
    process.stdout.write(`${reason}; unfinished: ${[...unfinished].join(', ')}\n`);
    await Promise.all([stopCommands(), stopServices()]);
    await rm(folder, { recursive: true, force: true });
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop(signal));
  setTimeout(() => stop(`Stopped after ${WITHIN_MS / 60_000} minutes`), WITHIN_MS).unref();

  const steps = createSteps();
  const tarball = path.resolve(await steps.run('package', () => providePackage()));
  let failed = 0;
  await Promise.all(
    installations.map(({ name, run }) =>
      limit(async () => {
        try {
          await steps.run(name, () => run(path.join(folder, name), tarball));
        } catch (error) {
          failed += 1;
          process.stdout.write(`${describeError(error)}\n`);
        }
        unfinished.delete(name);
      }),
    ),
  );
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  process.stdout.write(`${installations.length - failed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function select(all: Installation[], names: string[]): Installation[] {
  if (names.length === 0) return all;
  const unknown = names.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined) {
    const hint = `There are: ${all.map(({ name }) => name).join(', ')}`;
    throw new StepError(`There is no installation ${unknown}.`, { hint });
  }
  return all.filter(({ name }) => names.includes(name));
}

process.on('disconnect', () => {
  killServices();
  process.exit(1);
});
main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stdout.write(`${describeError(error)}\n`);
    process.exit(1);
  },
);
