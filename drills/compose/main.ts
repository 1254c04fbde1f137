import { setMaxListeners } from 'node:events';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { stopCommands } from '../../scripts/lib/processes.mjs';
import { createSteps, describeError, StepError } from '../../scripts/lib/steps.mjs';
import { makeTempFolder } from '../../test/services/temp-folder';
import { provideBaseImages, readPinnedImages } from './base-images';
import type { ComposeRun } from './compose-run';
import { type Docker, listInterfaces, openDocker } from './docker';
import { runFleet } from './fleet';
import { runSingleNode } from './single-node';

const IMAGE = 'floodgate';

/**
 * `npm run drill -- compose`: builds the image, starts the single node and the fleet of docker-compose.yml, runs the smoke test
 * in both, kills a node and a Redis master, and removes everything. It uses the running Docker daemon with the pinned images.
 * Where none runs, root starts one, with stand-ins for the images that cannot be pulled. `--cache FOLDER` keeps the files of
 * that daemon for the next run.
 */
export async function runComposeDrill(args: string[]): Promise<void> {
  const steps = createSteps();
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      stopping.abort(new StepError(`Stopped by ${name}.`));
      void stopCommands();
    });
  }
  try {
    const { values } = parseArgs({ args, options: { cache: { type: 'string' } } });
    await runDrill({ steps, signal: stopping.signal, cache: values.cache });
    print('1 passed, 0 failed');
  } catch (error) {
    print(`${describeError(error)}\n0 passed, 1 failed`);
    process.exitCode = 1;
  }
  // A step that ran out of time may still poll.
  process.exit();
}

async function runDrill({
  steps,
  signal,
  cache,
}: Pick<ComposeRun, 'steps' | 'signal'> & { cache: string | undefined }): Promise<void> {
  const before = listInterfaces();
  const temporary = await makeTempFolder('compose');
  const folder = cache === undefined ? temporary.dir : path.resolve(cache);
  try {
    const docker = await steps.run('docker', async (note) => {
      const opened = await openDocker(folder);
      note(opened.isOwn ? `a daemon in ${folder}` : 'the running daemon');
      return opened;
    });
    try {
      await runContainers({ steps, signal, docker, folder });
    } finally {
      await docker.stop();
    }
  } finally {
    await temporary.remove();
  }
  const left = listInterfaces().filter((name) => !before.includes(name));
  if (left.length > 0) throw new StepError(`These network interfaces are left: ${left.join(', ')}.`);
}

async function runContainers({
  steps,
  signal,
  docker,
  folder,
}: Pick<ComposeRun, 'steps' | 'signal' | 'docker'> & { folder: string }): Promise<void> {
  const images = await readPinnedImages();
  const added: string[] = [];
  for (const name of [...images, IMAGE]) if (!(await docker.hasImage(name))) added.push(name);
  try {
    const { missing } = await steps.run('base images', async (note) => {
      const provided = await provideBaseImages(docker, folder);
      const { standIns } = provided;
      note(
        [
          standIns.length > 0 && `stand-ins: ${standIns.join(', ')}`,
          provided.missing.length > 0 && `without ${provided.missing.join(', ')}`,
        ]
          .filter(Boolean)
          .join('; '),
      );
      return provided;
    });
    signal.throwIfAborted();
    await steps.run('image', async (note) => note(await buildImage(docker, images)));
    const run = { docker, steps, signal, images, missing };
    await runSingleNode(run);
    await runFleet(run);
  } finally {
    // The drill's own daemon is removed with its images, or keeps them for the next run.
    if (!docker.isOwn) {
      const present: string[] = [];
      for (const name of added) if (await docker.hasImage(name)) present.push(name);
      if (present.length > 0) await docker.run(['image', 'rm', ...present]);
    }
  }
}

/** Builds the image of the product. Returns what it adds to its base image. */
async function buildImage(docker: Docker, images: readonly string[]): Promise<string> {
  // The drill's own daemon has no bridge to the registry.
  await docker.run(['build', ...(docker.isOwn ? ['--network', 'host'] : []), '--tag', IMAGE, '.']);
  const sizeOf = async (name: string) =>
    Number(await docker.run(['image', 'inspect', '--format', '{{.Size}}', name]));
  const base = images.find((name) => name.startsWith('node:')) ?? '';
  return `${Math.round(((await sizeOf(IMAGE)) - (await sizeOf(base))) / 1_000_000)} MB on top of ${base}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
