import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { bundleServer } from '../../scripts/lib/build-app.mjs';
import { stopChild } from '../../scripts/lib/processes.mjs';
import { StepError } from '../../scripts/lib/steps.mjs';
import type { Tasks } from './tasks';

/** A process that executes tasks and exits with this one. */
export interface BenchProcess<T extends Tasks, About> {
  /** Its first message. */
  about: About;
  /** Executes a task, and returns its result. Call one task at a time. */
  call<Name extends keyof T>(
    task: Name,
    ...input: Parameters<T[Name]>
  ): Promise<Awaited<ReturnType<T[Name]>>>;
  stop(): Promise<void>;
}

/**
 * Bundles a file of bench/servers as `npm run build` does the product, because tsx makes functions slower, and starts it in
 * its own process in production mode. `waitMs`: the timeout of the start and of each task; default: 30 s.
 */
export async function startProcess<T extends Tasks, About = unknown>(
  entry: string,
  args: readonly string[],
  { waitMs = 30_000 }: { waitMs?: number } = {},
): Promise<BenchProcess<T, About>> {
  const child = fork(await bundle(entry), args, {
    env: { ...process.env, NODE_ENV: 'production' },
    execArgv: ['--enable-source-maps', '--experimental-import-meta-resolve'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new StepError(`${entry} ended`)));
  const nextReply = async () => {
    const signal = AbortSignal.any([AbortSignal.timeout(waitMs), ended.signal]);
    const [{ result, error }] = await once(child, 'message', { signal }).catch((cause) => {
      throw signal.reason ?? cause;
    });
    if (error !== undefined) throw new StepError(`${entry} ${args[0] ?? ''}: ${error}`);
    return result;
  };
  const stop = () => stopChild(child, { withinMs: 3_000 });
  try {
    return {
      about: await nextReply(),
      call(task, input?) {
        const reply = nextReply();
        child.send({ task, input });
        return reply;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const bundles = new Map<string, Promise<string>>();

/** Bundles a file once in this run, and returns the path of the bundle. */
function bundle(entry: string): Promise<string> {
  const outfile = `dist/bench-${path.parse(entry).name}.js`;
  const bundled = bundles.get(entry) ?? bundleServer({ entry, outfile }).then(() => outfile);
  bundles.set(entry, bundled);
  return bundled;
}
