import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useTestLab } from '../../../test/lab';
import { isFull } from '../../../test/property';
import { startEmptyRedis } from '../../../test/services/empty-redis';
import { examinedIds } from './limiters';

/** The name of each limiter, its fullest window, and the problem to solve first. */
const expected = {
  'counter-by-clock': ['fixed-window', 20, 'double-burst'],
  'counter-from-first-hit': ['first-hit-window', 19, 'double-burst'],
  'four-commands': ['sliding-log', 20, 'four-commands'],
  'add-first': ['sliding-log', 10, 'self-extending-block'],
  'bucket-script': ['token-bucket', 19, 'bucket'],
  'forwarded-for': ['first-hit-window', 19, 'chosen-key'],
  'sliding-log': ['sliding-log', 10, 'nothing'],
  'sliding-counter': ['sliding-counter', 10, 'nothing'],
  'fixed-window': ['fixed-window', 20, 'double-burst'],
  'token-bucket': ['token-bucket', 19, 'bucket'],
  'leaky-bucket': ['leaky-bucket', 10, 'nothing'],
} as const;
const chosen = isFull ? examinedIds : (['forwarded-for', 'sliding-log'] as const);

describe('examinations', () => {
  const lab = useTestLab(startEmptyRedis);

  test.each(chosen)('name the limiter and its greatest problem: %s', async (limiter) => {
    const { names, limit, worst, advice, isRetryAfterTrue, areHeadersTrue } = await lab().examine({
      limiter,
    });
    expect([names, limit, worst.count, advice]).toEqual([
      [expected[limiter][0]],
      10,
      ...expected[limiter].slice(1),
    ]);
    expect([isRetryAfterTrue, areHeadersTrue]).not.toContain(false);
    expect(await lab().redis.keys('lab:{????????}:*')).toEqual([]);
  });

  test('the page opens with what a run finds', async () => {
    const result = await lab().examine({ limiter: 'counter-by-clock' });
    const { names, limit, windowMs, burst, advice, worst } = result;
    expect(lab().readExamination()).toMatchObject({
      ...{ names, limit, windowMs, burst, advice },
      worst: { count: worst.count },
    });
    // `--update` stores the calls of the present examination.
    if (isFull) await expect(`${JSON.stringify(result)}\n`).toMatchFileSnapshot('examination.json');
  });

  test('run one at a time: the second caller learns that it waits, then how far it is', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const runs = [one, other].map((runId) => lab().examine({ limiter: 'bucket-script', runId }));
    await expect
      .poll(() => lab().readProgress(other), { timeout: 20_000 })
      .toMatchObject({ done: 0, of: 1_000, ahead: 1 });
    const [first, second] = await Promise.all(runs);
    expect(second).toEqual(first);
    const progress = await lab().readProgress(other);
    expect(progress?.ahead).toBe(0);
    expect(progress?.done).toBeGreaterThan(100);
  });

  test('a caller who disconnects ends the examination and frees the slot', async () => {
    const caller = new AbortController();
    const runId = randomUUID();
    const cancelled = lab().examine({ limiter: 'sliding-log', runId, signal: caller.signal });
    const rejected = expect(cancelled).rejects.toMatchObject({ code: 'CLIENT_CLOSED_REQUEST' });
    await expect
      .poll(async () => (await lab().readProgress(runId))?.done, { timeout: 20_000 })
      .toBeGreaterThan(0);
    caller.abort();
    await rejected;
    await expect(
      lab().race({ variant: 'product', limit: 1, windowMs: 1, concurrency: 1 }),
    ).resolves.toMatchObject({
      admitted: 1,
    });
    expect(await lab().redis.keys('lab:{????????}:*')).toEqual([]);
    expect(lab().warnings).toEqual([]);
  });
});
