import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createTRPCUntypedClient, httpLink, TRPCClientError } from '@trpc/client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { runCommand } from '../scripts/lib/run-command.mjs';
import { redisUrl } from '../test/services/worker-services';

const repo = fileURLToPath(new URL('..', import.meta.url));
/** The files that examples/minimal/README.md copies. */
const copied = ['lua/limiter', 'lua/lib', 'server/limiter', 'server/lua-files.ts', 'server/lua-scripts.ts'];

const packageJson = z.object({
  scripts: z.object({ start: z.string() }).optional(),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});
const readPackage = async (folder: string) =>
  packageJson.parse(JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')));

let project: string;
beforeAll(async () => {
  project = await mkdtemp(path.join(os.tmpdir(), 'floodgate-minimal-'));
  const isSource = (source: string) => path.basename(source) !== 'node_modules';
  await cp(path.join(repo, 'examples/minimal'), project, { recursive: true, filter: isSource });
  await mkdir(path.join(project, 'lua'));
  for (const item of copied) await cp(path.join(repo, item), path.join(project, item), { recursive: true });
  // Replaces npm install: links only the packages of the example.
  const { dependencies, devDependencies } = await readPackage(project);
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const link = path.join(project, 'node_modules', name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(repo, 'node_modules', name), link);
  }
});
afterAll(() => rm(project, { recursive: true, force: true }));

let server: ChildProcess | undefined;
afterEach(async () => {
  if (!server || server.exitCode !== null) return;
  server.kill();
  await once(server, 'exit');
});

/** Starts the example as its package.json does. Returns the URL that it prints. */
async function startServer(): Promise<string> {
  const { scripts } = await readPackage(project);
  const [program, ...args] = scripts?.start.split(' ') ?? [];
  expect(program).toBe('node');
  server = spawn(process.execPath, args, {
    cwd: project,
    env: { ...process.env, REDIS_URL: await redisUrl(), PORT: '0', SUBJECT_SECRET: project },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: server.stdout as NodeJS.ReadableStream });
  const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(20_000) });
  return new URL('.', String(line)).href;
}

test('the example has the versions that the limiter is tested with', async () => {
  const ours = await readPackage(repo);
  const tested = { ...ours.dependencies, ...ours.devDependencies };
  const { dependencies, devDependencies } = await readPackage(project);
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    expect([name, version]).toEqual([name, tested[name]]);
  }
});

test('the copied files compile without the rest of the product', async () => {
  const tsc = path.join(project, 'node_modules/typescript/bin/tsc');
  const { code, output } = await runCommand(process.execPath, [tsc, '--noEmit', '-p', project]);
  expect(output).toBe('');
  expect(code).toBe(0);
});

test('the official client is admitted up to the limit, then gets the limit and the retry time', async () => {
  const url = await startServer();
  const answers: Response[] = [];
  const client = createTRPCUntypedClient({
    links: [
      httpLink({
        url,
        async fetch(input, options) {
          const answer = await fetch(input, options as RequestInit);
          answers.push(answer);
          return answer;
        },
      }),
    ],
  });

  for (let call = 0; call < 3; call += 1) expect(await client.query('greet')).toBe('Hello.');
  const [first] = answers;
  expect(first?.headers.get('ratelimit-policy')).toBe('"greet:ip";q=3;w=10, "greet:global";q=100;w=10');
  expect(first?.headers.get('ratelimit')).toBe('"greet:ip";r=2;t=10, "greet:global";r=99;t=10');

  const refusal: unknown = await client.query('greet').catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(TRPCClientError);
  expect(refusal).toMatchObject({
    message: 'Too many greetings. Come back when the wait is over.',
    data: {
      code: 'TOO_MANY_REQUESTS',
      httpStatus: 429,
      rateLimit: {
        policy: 'greet',
        level: 'ip',
        reason: 'limited',
        limit: 3,
        windowMs: 10_000,
        remaining: 0,
      },
    },
  });
  const last = answers.at(-1);
  expect(last?.status).toBe(429);
  expect(last?.headers.get('ratelimit-policy')).toBe('"greet:ip";q=3;w=10');
  expect(last?.headers.get('ratelimit')).toMatch(/^"greet:ip";r=0;t=\d+$/);
  expect(Number(last?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
});
