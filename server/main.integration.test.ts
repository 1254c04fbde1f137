import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { postgresUrl, redisUrl } from '../test/services/worker-services';
import { root } from './paths';

const secrets = 'a secret that only the tests know of';

/** Starts the process with this environment alone, and waits until it has ended by itself. */
async function startAndFail(env: Record<string, string>): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'server/main.ts'], {
    cwd: root,
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

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address === 'object' && address) return address.port;
  throw new Error('the server had no port');
}

test('a bad environment is told variable by variable, with an example each', async () => {
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

test('a Redis that does not answer is named without its password, with what to do', async () => {
  const { code, stderr } = await startAndFail({
    REDIS_URL: `redis://ada:hidden@127.0.0.1:${await closedPort()}`,
    DATABASE_URL: await postgresUrl(),
    SESSION_SECRETS: secrets,
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /No Redis answers at redis:\/\/ada:\*\*\*@127\.0\.0\.1:\d+ \(.*ECONNREFUSED.*\)\. Start it, or correct REDIS_URL\./,
  );
  expect(stderr).not.toContain('hidden');
});

test('a Postgres that does not answer is named without its password, with what to do', async () => {
  const { code, stderr } = await startAndFail({
    REDIS_URL: await redisUrl(),
    DATABASE_URL: `postgres://ada:hidden@127.0.0.1:${await closedPort()}/floodgate`,
    SESSION_SECRETS: secrets,
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/postgres:\/\/ada:\*\*\*@127\.0\.0\.1:\d+\/floodgate/);
  expect(stderr).not.toContain('hidden');
});
