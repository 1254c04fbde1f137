import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { redisUrl, valkeyUrl } from '../../../test/services/worker-services';

const run = promisify(execFile);

/** `npm run lab -- …`, without npm. */
function lab(args: string[], env: Record<string, string | undefined> = {}) {
  return run(process.execPath, ['scripts/lab.mjs', ...args], { env: { ...process.env, ...env } });
}

test('the query of an address runs in a terminal: twice the limit in a fixed window, never in the log', async () => {
  const { stdout } = await lab(['?traffic=edge&limit=100&window=60000'], { REDIS_URL: await redisUrl() });
  const rows = Object.fromEntries(
    stdout.split('\n').map((line) => {
      const [name, ...cells] = line.trim().split(/\s{2,}/);
      return [name, cells];
    }),
  );
  expect(rows['sliding-log']?.slice(0, 3)).toEqual(['100', '100', '100 of 100']);
  expect(rows['fixed-window']?.slice(0, 4)).toEqual(['200', '0', '200 of 100 !', '<= 200']);
});

test('an example of a tutorial and sub-windows run in a terminal', async () => {
  const query = 'traffic=preset&preset=two-seconds&subwindows=1';
  const { stdout } = await lab([query, '--json'], { REDIS_URL: await redisUrl() });
  const { scenario, runs } = JSON.parse(stdout);
  expect(scenario).toEqual({
    traffic: 'preset',
    preset: 'two-seconds',
    limit: 100,
    windowMs: 60_000,
    subWindows: 1,
  });
  const worst = runs.map((run: { algorithm: string; worstWindow: number }) => [
    run.algorithm,
    run.worstWindow,
  ]);
  expect(Object.fromEntries(worst)).toMatchObject({ 'sliding-counter': 100, 'fixed-window': 200 });
  const text = await lab([query], { REDIS_URL: await redisUrl() });
  expect(text.stdout).toContain('sliding-counter with 1 sub-window of 60 s');
});

test('without REDIS_URL it starts a Redis and stops it; stdout has only the result', async () => {
  const { stdout } = await lab(['steady', '--json'], { REDIS_URL: undefined });
  const { query, runs } = JSON.parse(stdout);
  expect(query).toMatch(/^traffic=steady&/);
  expect(runs.map(({ algorithm }: { algorithm: string }) => algorithm)).toEqual([
    'sliding-log',
    'sliding-counter',
    'fixed-window',
    'token-bucket',
    'leaky-bucket',
  ]);
});

test('the CSV has one line for each call and algorithm', async () => {
  const { stdout } = await lab(['edge', '--csv'], { REDIS_URL: await valkeyUrl() });
  const [head, ...lines] = stdout.trim().split('\r\n');
  expect(head).toBe('algorithm,at_ms,allowed,remaining,retry_after_ms,delay_ms');
  expect(lines).toHaveLength(5 * 20);
});

test('demonstrations show a mistake next to the product', async () => {
  const { stdout } = await lab(['race'], { REDIS_URL: await redisUrl() });
  expect(stdout).toMatch(/four-commands +200 +200 of 10 !/);
  expect(stdout).toMatch(/timestamp-member +200 +200 of 10 !/);
  expect(stdout).toMatch(/product +200 +10 of 10 {2}/);
  const burst = await lab(['double-burst', '--json'], { REDIS_URL: await redisUrl() });
  expect(JSON.parse(burst.stdout)).toMatchObject({
    limit: 50,
    naive: { worstWindow: 100 },
    product: { worstWindow: 50 },
  });
  const slots = await lab(['cross-slot'], { REDIS_URL: await redisUrl() });
  expect(slots.stdout).toContain('the script admitted 5 of 8 calls');
});

test('an unknown scenario ends with exit code 1 and the usage', async () => {
  await expect(lab(['flood'])).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('There is no scenario "flood".'),
  });
});
