import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundleServer } from '../scripts/lib/build-app.mjs';
import { freshDatabase } from '../test/database';
import { postgresUrl, redisUrl } from '../test/services/worker-services';
import { root } from './paths';

/** No service of this machine has it. A port that was free a moment ago may belong to another test. */
const CLOSED_PORT = 1;

const secrets = 'a secret that only the tests know of';

interface Start {
  /** The folder whose `.env` is read where `args` allow it. Default: the repository. */
  cwd?: string;
  /** Default: the bundle next to the Lua files of the repository. */
  main?: string;
  args?: string[];
}

/** A folder with a bundle of the server, and links to what it reads. */
let bundled: string;
beforeAll(async () => {
  bundled = await mkdtemp(join(tmpdir(), 'floodgate-server-'));
  await bundleServer({ outfile: join(bundled, 'dist/main.js') });
  for (const part of ['lua', 'server', 'node_modules', 'package.json'])
    await symlink(join(root, part), join(bundled, part));
});
afterAll(() => rm(bundled, { recursive: true }));

/** Starts the process with this environment alone, and waits until it has ended by itself. */
async function startAndFail(
  env: Record<string, string>,
  { cwd = root, main = join(bundled, 'dist/main.js'), args = ['--no-env-file'] }: Start = {},
): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', LOG_LEVEL: 'silent', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'exit');
  return { code, stderr };
}

test('a bad environment is reported variable by variable, with an example each', async () => {
  const { code, stderr } = await startAndFail({
    PORT: 'many',
    REDIS_URL: 'http://x',
    TRUSTED_PROXIES: '10.0.0.0/99',
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^PORT is not usable: .* Example: PORT=3000$/m);
  expect(stderr).toMatch(/^REDIS_URL is not usable: .* Example: REDIS_URL=redis:/m);
  expect(stderr).toMatch(/^DATABASE_URL is required\. Example: DATABASE_URL=postgres:/m);
  expect(stderr).toMatch(/^SESSION_SECRETS is required\./m);
  expect(stderr).toMatch(/^TRUSTED_PROXIES is not usable: /m);
  expect(stderr).not.toContain(' at ');
});

test('`npm run serve` reads .env, and the environment comes first', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'floodgate-serve-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const reading = { cwd, args: [] };
  await writeFile(
    join(cwd, '.env'),
    `REDIS_URL=redis://127.0.0.1:${CLOSED_PORT}\nDATABASE_URL=postgres://127.0.0.1/x\nSESSION_SECRETS="${secrets}"\nPORT=many\n`,
  );
  expect((await startAndFail({}, reading)).stderr).toMatch(/^PORT is not usable/m);
  const { code, stderr } = await startAndFail({ PORT: '0' }, reading);
  expect(code).toBe(1);
  expect(stderr).toContain(`No Redis answers at redis://127.0.0.1:${CLOSED_PORT}`);
});

test('the error for an unreachable Redis has its URL without the password, and the fix', async () => {
  const { code, stderr } = await startAndFail({
    REDIS_URL: `redis://ada:hidden@127.0.0.1:${CLOSED_PORT}`,
    DATABASE_URL: await postgresUrl(),
    SESSION_SECRETS: secrets,
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /No Redis answers at redis:\/\/ada:\*\*\*@127\.0\.0\.1:\d+ \(.*ECONNREFUSED.*\)\. Start it, or correct REDIS_URL\./,
  );
  expect(stderr).not.toContain('hidden');
});

test('the error for an unreachable Postgres has its URL without the password', async () => {
  const { code, stderr } = await startAndFail({
    REDIS_URL: await redisUrl(),
    DATABASE_URL: `postgres://ada:hidden@127.0.0.1:${CLOSED_PORT}/floodgate`,
    SESSION_SECRETS: secrets,
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/postgres:\/\/ada:\*\*\*@127\.0\.0\.1:\d+\/floodgate/);
  expect(stderr).not.toContain('hidden');
});

/** A copy of the server in which a line is added to one of its Lua files. */
async function serverWith(file: string, { line, text }: { line: number; text: string }): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'floodgate-server-'));
  onTestFinished(() => rm(copy, { recursive: true }));
  await cp(bundled, copy, { recursive: true });
  await rm(join(copy, 'lua'));
  await cp(join(root, 'lua'), join(copy, 'lua'), { recursive: true });
  const lines = (await readFile(join(copy, 'lua', file), 'utf8')).split('\n');
  lines.splice(line - 1, 0, text);
  await writeFile(join(copy, 'lua', file), lines.join('\n'));
  return copy;
}

// At a line that is code today, and an error wherever it falls.
test.each([
  {
    what: 'a script',
    file: 'sale/purchase.lua',
    line: 60,
    text: 'if then end',
    reason: "unexpected symbol near '",
  },
  {
    what: 'an include',
    file: 'limiter/state.lua',
    line: 9,
    text: 'if then end',
    reason: "unexpected symbol near '",
  },
  {
    what: 'a function that fails when it is loaded',
    file: 'limiter/decide-levels.lua',
    line: 1,
    text: 'local broken = no_such_name.field',
    reason: "Script attempted to access nonexistent global variable 'no_such_name'",
  },
])(
  '$what that Redis does not compile stops the start with its file and line',
  async ({ file, line, text, reason }) => {
    const database = await freshDatabase(await postgresUrl());
    onTestFinished(() => database.drop());
    const copy = await serverWith(file, { line, text });
    const env = { REDIS_URL: await redisUrl(), DATABASE_URL: database.url, SESSION_SECRETS: secrets };
    const { code, stderr } = await startAndFail(env, { main: join(copy, 'dist/main.js') });
    expect(code).toBe(1);
    expect(stderr).toContain(`Redis does not compile lua/${file}, line ${line}: ${reason}`);
    expect(stderr).not.toContain('    at ');
  },
);
