import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseList } from 'structured-headers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { findFreePort } from '../scripts/lib/ports.mjs';
import { runCommand, signalGroup } from '../scripts/lib/processes.mjs';
import { startRedis } from '../test/services/redis';
import type { TestService } from '../test/services/test-service';
import { compile, repo, unpackPackage } from './packed-package';

const problem = z.object({ status: z.literal(429), detail: z.string(), rateLimit: z.unknown() });
const trpcError = z
  .object({ error: z.object({ message: z.string(), data: z.object({ rateLimit: z.unknown() }) }) })
  .transform(({ error }) => ({ detail: error.message, rateLimit: error.data.rateLimit }));
/** The example servers that need no build, and the schema of their refusals. */
const servers = [
  { name: 'express', refusal: problem },
  { name: 'fastify', refusal: problem },
  { name: 'hono', refusal: problem },
  { name: 'trpc-standalone', refusal: trpcError },
];
const tested = ['without-redis', 'llm-route'];
const examples = [...servers.map(({ name }) => name), 'next-trpc', ...tested];
const LIMIT = 100;

const manifest = z.object({
  scripts: z.record(z.string(), z.string()).default({}),
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
});
const readManifest = async (folder: string) =>
  manifest.parse(JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')));

/** The commands of `examples/README.md` for an example. `install` copies it into a folder of its own. */
interface ReadmeCommands {
  install: string;
  start: string;
  calls: string;
  project: string;
}

let folder: string;
const commandsOf = new Map<string, ReadmeCommands>();
function commands(name: string): ReadmeCommands {
  const found = commandsOf.get(name);
  if (!found) throw new Error(`the commands of ${name} have not been read`);
  return found;
}
const projectOf = (name: string) => commands(name).project;

async function readCommands(name: string): Promise<ReadmeCommands> {
  const text = await readFile(path.join(repo, 'examples/README.md'), 'utf8');
  const row = new RegExp(`^\\| \\[${name}\\].* \\| \`(npm [a-z ]+)\` \\| (?:\`(\\S+)\`)?`, 'm');
  const [, start = '', route = ''] = row.exec(text) ?? [];
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const [install = '', calls = ''] = blocks.map((block) =>
    block.replaceAll('examples/express', `examples/${name}`).replaceAll('/greet', route),
  );
  const project = path.join(folder, 'home', name, 'my-server');
  return { install, start, calls, project };
}

/**
 * The variables of a reader who follows `examples/README.md`: a home folder, and an npm whose `install` only checks that
 * the tarball is there, because tests have no registry.
 */
function readersEnv(name: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    HOME: path.join(folder, 'home', name),
    PATH: `${path.join(folder, 'bin')}${path.delimiter}${process.env.PATH}`,
    NPM_CONFIG_UPDATE_NOTIFIER: 'false',
  };
}

async function writeNpm(): Promise<void> {
  const { output } = await runCommand('sh', ['-c', 'command -v npm']);
  const script = `#!/bin/sh
if [ "$1" = install ]; then exec test -f "$2"; fi
exec ${output.trim()} "$@"
`;
  await mkdir(path.join(folder, 'bin'));
  await writeFile(path.join(folder, 'bin/npm'), script, { mode: 0o755 });
}

/** Replaces npm install: links a package of the repository. */
async function linkPackage(name: string): Promise<void> {
  const link = path.join(folder, 'node_modules', name);
  await mkdir(path.dirname(link), { recursive: true });
  await symlink(path.join(repo, 'node_modules', name), link);
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-package-'));
  const { tarball, installed } = await unpackPackage(folder);
  await writeNpm();
  // The repository of a reader who has run `npm run package`.
  await mkdir(path.join(folder, 'repository/dist'), { recursive: true });
  await symlink(path.join(repo, 'examples'), path.join(folder, 'repository/examples'));
  await symlink(path.dirname(tarball), path.join(folder, 'repository/dist/package'));

  const names = new Set(Object.keys((await readManifest(installed)).dependencies));
  for (const name of examples) {
    const read = await readCommands(name);
    commandsOf.set(name, read);
    await mkdir(path.join(folder, 'home', name), { recursive: true });
    const { code, output } = await runCommand('bash', ['-ec', read.install], {
      cwd: path.join(folder, 'repository'),
      env: readersEnv(name),
    });
    expect([name, code, output]).toEqual([name, 0, '']);
    const { dependencies, devDependencies } = await readManifest(projectOf(name));
    for (const dependency of Object.keys({ ...dependencies, ...devDependencies })) names.add(dependency);
  }
  for (const name of names) await linkPackage(name);
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

let server: ChildProcess | undefined;
let redis: TestService | undefined;
afterEach(async () => {
  await redis?.stop();
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  signalGroup(server.pid, 'SIGKILL');
  await once(server, 'exit');
});

/** Starts an example by its command in the README. Returns the URL of its greeting. */
async function startServer(name: string, redisUrl: string): Promise<string> {
  const port = String(await findFreePort());
  server = startProgram(name, { REDIS_URL: redisUrl, PORT: port, SUBJECT_SECRET: projectOf(name) });
  const lines = createInterface({ input: server.stdout as NodeJS.ReadableStream });
  const signal = AbortSignal.timeout(60_000);
  for await (const [line] of on(lines, 'line', { signal })) {
    const url = /http:\/\/\S+/.exec(line)?.[0];
    if (url) return url;
  }
  throw new Error(`${name} printed no URL`);
}

function startProgram(name: string, env: Record<string, string> = {}): ChildProcess {
  return spawn('bash', ['-c', commands(name).start], {
    cwd: projectOf(name),
    env: { ...readersEnv(name), ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
}

test('the package and every example have the versions that the product is tested with', async () => {
  const ours = await readManifest(repo);
  const tested = { ...ours.dependencies, ...ours.devDependencies };
  const { dependencies: ofPackage } = await readManifest(path.join(repo, 'server/limiter'));
  for (const [dependency, range] of Object.entries(ofPackage))
    expect([dependency, range]).toEqual([dependency, `^${tested[dependency]}`]);
  for (const name of examples) {
    const { dependencies, devDependencies } = await readManifest(path.join(repo, 'examples', name));
    for (const [dependency, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      expect([name, dependency, version]).toEqual([name, dependency, tested[dependency]]);
    }
  }
});

test('the examples compile against the types of the package', async () => {
  // One program, because the types of Node and of the frameworks take most of the time.
  const apart = ['next-trpc', 'without-redis'];
  const configs = await Promise.all(examples.filter((name) => !apart.includes(name)).map(readConfig));
  for (const { compilerOptions } of configs) expect(compilerOptions).toEqual(configs[0]?.compilerOptions);
  const files = configs.flatMap((config) => config.files);
  const all = { compilerOptions: configs[0]?.compilerOptions, files };
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(all));
  expect(await compile(folder)).toEqual({ output: '', code: 0 });
  for (const name of apart) {
    expect([name, await compile(projectOf(name))]).toEqual([name, { output: '', code: 0 }]);
  }
}, 120_000);

/** Reads the tsconfig.json of an example, with its files named from the folder of all examples. */
async function readConfig(name: string) {
  const text = await readFile(path.join(projectOf(name), 'tsconfig.json'), 'utf8');
  const { compilerOptions, files }: { compilerOptions: unknown; files: string[] } = JSON.parse(text);
  return { compilerOptions, files: files.map((file) => path.join(projectOf(name), file)) };
}

describe.each(servers)('$name', ({ name, refusal }) => {
  test('of the calls of the README the 101st is refused', async () => {
    redis = await startRedis();
    const url = await startServer(name, redis.url);
    const script = commands(name).calls.replaceAll('127.0.0.1:3000', new URL(url).host);
    const { code, output } = await runCommand('bash', ['-c', script]);
    expect([code, output]).toEqual([0, expect.stringMatching(/^HTTP\/1\.1 429 .*"policy":"greet/s)]);
  }, 120_000);

  test('a closed policy answers 503 within 300 ms without the store; with it, 200 calls get exactly the limit', async () => {
    redis = await startRedis();
    const url = await startServer(name, redis.url);
    await redis.stop();
    const waits: number[] = [];
    for (let call = 0; call < 5; call += 1) {
      const startedAt = performance.now();
      const { status } = await fetch(url);
      waits.push(performance.now() - startedAt);
      expect(status).toBe(503);
    }
    // The fastest, because other tests run at the same time.
    expect(Math.min(...waits)).toBeLessThan(300);

    redis = await startRedis({ port: Number(new URL(redis.url).port) });
    let first: Response;
    do first = await fetch(url);
    while (first.status === 503);
    const answers = [first, ...(await Promise.all(Array.from({ length: 199 }, () => fetch(url))))];
    const admitted = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([admitted.length, refused.length]).toEqual([LIMIT, 200 - LIMIT]);

    const [item] = parseList(first.headers.get('ratelimit-policy') ?? '');
    expect(item).toEqual(['greet:ip', new Map(Object.entries({ q: LIMIT, w: 60 }))]);
    const remaining = admitted.map(({ headers }) =>
      Number(parseList(headers.get('ratelimit') ?? '')[0]?.[1].get('r')),
    );
    expect(remaining.toSorted((one, other) => one - other)).toEqual([...Array(LIMIT).keys()]);

    const [denied] = refused;
    expect(Number(denied?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refusal.parse(await denied?.json())).toMatchObject({
      detail: 'Too many greetings. Come back when the wait is over.',
      rateLimit: {
        policy: 'greet',
        level: 'ip',
        reason: 'limited',
        limit: LIMIT,
        windowMs: 60_000,
        remaining: 0,
      },
    });
  }, 240_000);
});

test.each([
  { name: 'without-redis', passed: '2 passed' },
  { name: 'llm-route', passed: '# pass 3' },
])(
  'the tests of $name pass',
  async ({ name, passed }) => {
    redis = await startRedis();
    server = startProgram(name, { REDIS_URL: redis.url });
    let output = '';
    server.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    const [code] = await once(server, 'exit');
    expect([code, output]).toEqual([0, expect.stringContaining(passed)]);
  },
  120_000,
);
