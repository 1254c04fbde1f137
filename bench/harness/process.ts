import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Plugin } from 'esbuild';
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

interface ProcessOptions {
  /** Timeout of the start and of each task. Default: 30 s. */
  waitMs?: number;
  /** Replaces the limiter's batcher by one whose script calls carry one decision each. Default: false. */
  isUnbatched?: boolean;
}

/**
 * Bundles a file of bench/servers as `npm run build` does the product, because tsx makes functions slower, and starts it in
 * its own process in production mode.
 */
export async function startProcess<T extends Tasks, About = unknown>(
  entry: string,
  args: readonly string[],
  { waitMs = 30_000, isUnbatched = false }: ProcessOptions = {},
): Promise<BenchProcess<T, About>> {
  const child = fork(await bundle(entry, isUnbatched), args, {
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
function bundle(entry: string, isUnbatched: boolean): Promise<string> {
  const outfile = `dist/bench-${path.parse(entry).name}${isUnbatched ? '-unbatched' : ''}.js`;
  const bundled =
    bundles.get(outfile) ??
    bundleServer({ entry, outfile, plugins: isUnbatched ? [batchesOfOne] : [] }).then(() => outfile);
  bundles.set(outfile, bundled);
  return bundled;
}

const batchesOfOne: Plugin = {
  name: 'batches-of-one',
  setup(build) {
    build.onResolve({ filter: /^\.\/batcher$/ }, () => ({
      path: path.resolve('bench/contenders/batch-of-one.ts'),
    }));
  },
};
