import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { findFreePort } from '../../scripts/lib/ports.mjs';
import { startCommand, tail } from '../../scripts/lib/processes.mjs';
import { StepError } from '../../scripts/lib/steps.mjs';
import { startRedis } from '../../test/services/redis';
import { startRestServer } from '../../test/services/rest-server';
import { type Installation, installPackage, run } from './installation';

/** A row of the table in `examples/README.md`. */
interface Example {
  /** Its folder below `examples/`. */
  name: string;
  /** The npm command that starts it. */
  start: string;
  /** The limited paths of a server, each with a limit of its own. A program has none and ends by itself. */
  routes: string[];
}

const LIMIT = 100;
const LISTENS_WITHIN_MS = 60_000;
/** The log lines of workerd when a request uses the I/O of another one, or waits for a promise that never settles. */
const RUNTIME_PROBLEM = /.*(?:different request|had hung|hanging Promise).*/i;
const manifest = z.object({ scripts: z.record(z.string(), z.string()).default({}) });

/** Lists the projects of `examples/README.md`. */
export async function listExamples(): Promise<Installation[]> {
  const text = await readFile('examples/README.md', 'utf8');
  const rows = text.matchAll(/^\| \[([a-z0-9/@.-]+)\]\(.* \| `(npm [a-z ]+)` \|(.*) \|$/gm);
  return [...rows].map(([, name = '', start = '', limited = '']) => {
    const routes = [...limited.matchAll(/`(\/\S*)`/g)].map(([, route = '']) => route);
    return { name, run: (folder, tarball) => tryExample({ name, start, routes }, folder, tarball) };
  });
}

/** Installs, compiles, builds and runs a copy of an example, as `examples/README.md` describes. */
async function tryExample({ name, start, routes }: Example, folder: string, tarball: string): Promise<void> {
  await cp(path.join('examples', name), folder, {
    recursive: true,
    filter: (file) => !/\/(node_modules|\.next|dist)$/.test(file),
  });
  await installPackage(folder, [tarball]);
  const { scripts } = manifest.parse(JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')));
  // A port on which nothing listens: neither step may need a Redis.
  const withoutRedis = { REDIS_URL: 'redis://127.0.0.1:1' };
  for (const step of ['check', 'build'].filter((script) => script in scripts))
    await run(`npm run ${step}`, folder, withoutRedis);

  const redis = await startRedis();
  const rest = await startRestServer(redis.url);
  try {
    const env = {
      REDIS_URL: redis.url,
      UPSTASH_REDIS_REST_URL: rest.url,
      UPSTASH_REDIS_REST_TOKEN: rest.token,
      SUBJECT_SECRET: 'a secret of at least 32 characters',
    };
    const command = 'build' in scripts ? 'npm start' : start;
    if (routes.length === 0) await run(command, folder, env);
    else await tryServer({ command, routes, verify: 'verify' in scripts && 'npm run verify' }, folder, env);
    // The watcher of Turbopack sees few edits of a program, that of webpack all.
    if ('verify:dev' in scripts)
      await tryServer(
        { command: `${start} -- --webpack`, routes: [], verify: 'npm run verify:dev' },
        folder,
        env,
      );
  } finally {
    rest.stop();
    await redis.stop();
  }
}

interface StartedServer {
  command: string;
  routes: readonly string[];
  /** The command of the project that calls its server. */
  verify: string | false;
}

/** Starts a server and expects that each route admits exactly its limit. */
async function tryServer(
  { command, routes, verify }: StartedServer,
  cwd: string,
  env: Record<string, string>,
): Promise<void> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const server = startCommand('bash', ['-c', command], {
    cwd,
    env: { ...env, PORT: String(port), NEXT_TELEMETRY_DISABLED: '1' },
  });
  try {
    await waitUntilListening(`${url}/`, server.ended);
    for (const route of routes) await expectLimit(url + route);
    if (verify) await run(verify, cwd, { ...env, URL: url });
    const problem = RUNTIME_PROBLEM.exec(server.output());
    if (problem) throw new Error(`the server logs "${problem[0]}"`);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new StepError(`${command}: ${problem}\n${tail(server.output(), 30)}`, { cause: error });
  } finally {
    await server.stop();
  }
}

async function waitUntilListening(url: string, ended: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  const until = performance.now() + LISTENS_WITHIN_MS;
  while (performance.now() < until) {
    if (hasEnded) throw new Error('the server has ended');
    const answer = await fetch(url).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer) return;
    await sleep(200);
  }
  throw new Error(`the server does not listen at ${url} after ${LISTENS_WITHIN_MS / 1_000} s`);
}

async function expectLimit(url: string): Promise<void> {
  for (let call = 1; call <= LIMIT + 1; call += 1) {
    const response = await fetch(url);
    const body = await response.text();
    if (response.status !== (call <= LIMIT ? 200 : 429))
      throw new Error(`call ${call} of ${url} was answered with ${response.status}: ${body.slice(0, 500)}`);
    if (call > LIMIT && !(Number(response.headers.get('retry-after')) >= 1))
      throw new Error(`the refusal of ${url} has no Retry-After`);
  }
}
