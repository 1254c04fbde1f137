import { describe, expect, test } from 'vitest';
import { isFull } from '../../../test/property';
import { simulatedLimiters } from '../../../test/simulated-limiters';
import { createSimulatedTarget } from '../../../test/simulated-target';
import { cardIds } from '../../lab/cards/cards';
import { readClaims } from './claims';
import { examine } from './examine';
import { findFullest } from './facts';
import { adviseOn, describeExamination, formatPage, formatText } from './report';

const windowMs = 2_000;
const bounds = { refusedBy: [429], maxCalls: 1_000, maxLimit: 100 };
const seeds = Array.from({ length: isFull ? 20 : 1 }, (_, index) => 7_919 * (index + 1));

describe('on a busy machine, from the answers alone', () => {
  test.each(Object.entries(simulatedLimiters))('names the limiter: %s', async (_, { name, create }) => {
    const unsure: unknown[] = [];
    for (const seed of seeds) {
      const target = createSimulatedTarget(create(), seed);
      const begin = target.now();
      const { finding, facts } = await examine(target, { ...bounds, windowMs });
      expect({ seed, ...finding }).toMatchObject({ seed, names: expect.arrayContaining([name]), limit: 10 });
      if (finding.names.length > 1) unsure.push({ seed, names: finding.names });
      expect((target.now() - begin) / windowMs).toBeLessThan(20);
      const admitted = target.admittedAt.map((at) => ({ at }));
      const fullest = admitted.map(({ at }) =>
        admitted.filter((one) => one.at >= at && one.at < at + windowMs),
      );
      const trueWorst = Math.max(...fullest.map(({ length }) => length));
      expect(Math.abs(facts.worst.count - trueWorst)).toBeLessThanOrEqual(1);
    }
    expect(unsure.length, JSON.stringify(unsure)).toBeLessThanOrEqual(seeds.length / 20);
  });

  // Ten windows are tried at first, which takes seconds.
  test.each(isFull ? ['token bucket', 'log', 'fixed window', 'first hit', 'two windows'] : [])(
    'measures the window without headers: %s',
    async (title) => {
      const { name, create } = simulatedLimiters[title] ?? expect.fail(title);
      for (const seed of seeds) {
        const { finding } = await examine(createSimulatedTarget(create(), seed), bounds);
        expect({ seed, ...finding }).toMatchObject({ seed, names: [name], limit: 10, windowMs });
      }
    },
  );

  test('accuses a sliding log of nothing', async () => {
    const { create } = simulatedLimiters.log ?? expect.fail('no log');
    for (const seed of seeds) {
      const examination = await examine(createSimulatedTarget(create(), seed), {
        ...bounds,
        windowMs,
      });
      const accusations = describeExamination(examination).filter(({ isGood }) => isGood === false);
      expect({ seed, accusations }).toEqual({ seed, accusations: [] });
      expect(formatText('http://a/', examination)).toContain('no window had more calls than the limit');
      expect(formatPage('http://a/?b=<c>', examination)).not.toContain('<c>');
    }
  });
});

test('names a trusted header, a path with a window for each case and a Retry-After that is too short', async () => {
  const counts = new Map<string, number>();
  const target = createSimulatedTarget((now, call) => {
    const key = `${call?.headers?.['x-forwarded-for']} ${call?.hasOtherCase} ${Math.floor(now / windowMs)}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count > 10 ? { status: 429, headers: { 'retry-after': '0.5' } } : { status: 200 };
  }, 1);
  const examination = await examine(target, { ...bounds, windowMs });
  const problems = describeExamination(examination).filter(({ isGood }) => isGood === false);
  expect(problems.map(({ name }) => name)).toEqual([
    ...['worst window', 'at a window edge', 'Retry-After: 0.5 s', 'evasion'],
  ]);
  expect(examination.facts.bypasses).toEqual(['X-Forwarded-For', 'another case of the path']);
  const { text, lab } = adviseOn(examination);
  expect(text, 'a fix of each problem').toMatch(/socket.*one case.*sliding log.*“Retry-After: 0.5 s”/);
  expect(cardIds).toContain(new URLSearchParams(lab).get('card'));
});

test.each([
  [{ 'ratelimit-policy': '"a";q=10;w=2', ratelimit: '"a";r=9;t=1' }, [10, 2_000, 9, 1_000]],
  [{ 'ratelimit-policy': '10;w=2', ratelimit: 'limit=10, remaining=0, reset=2' }, [10, 2_000, 0, 2_000]],
  [
    { 'ratelimit-limit': '10', 'ratelimit-remaining': '3', 'ratelimit-reset': '1' },
    [10, undefined, 3, 1_000],
  ],
  [
    { 'ratelimit-policy': '"a";q=99;w=60, "b";q=10;w=2', ratelimit: '"a";r=9;t=5, "b";r=0;t=1' },
    [10, 2_000, 0, 1_000],
  ],
  [{ 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0' }, [10, undefined, 0, undefined]],
])('reads the limit, the window, the remaining calls and the reset of %j', (headers, numbers) => {
  const { limit, windowMs: window, remaining, resetMs } = readClaims(headers);
  expect([limit, window, remaining, resetMs]).toEqual(numbers);
});

test('counts a call as part of a window only if it certainly was', () => {
  const call = (from: number, to: number) => ({
    ...{ from, to, allowed: true, status: 200, headers: {}, round: '' },
  });
  expect(findFullest([call(0, 5), call(50, 60), call(96, 99), call(98, 104)], 100)).toEqual({
    ...{ count: 3, from: 50, to: 104 },
  });
});

test.each([{}, { windowMs }])('a server that refuses every call is not judged, with %j', async (given) => {
  const target = createSimulatedTarget(() => ({ status: 429 }), 1);
  const examination = examine(target, { ...bounds, ...given });
  await expect(examination).rejects.toThrow(/^Every call was refused; the last was answered 429/);
});

test('a window that is full of earlier calls is waited for', async () => {
  const { name, create } = simulatedLimiters['first hit'] ?? expect.fail('no limiter');
  const limiter = create();
  const target = createSimulatedTarget(limiter, 1);
  for (let call = 0; call < 10; call += 1) limiter(Math.floor(target.now()));
  const { finding } = await examine(target, { ...bounds, windowMs });
  expect(finding).toMatchObject({ names: [name], limit: 10 });
});

test('a server that no call of the maximum refuses has no limit', async () => {
  const target = createSimulatedTarget(() => ({ status: 200 }), 1);
  await expect(examine(target, bounds)).rejects.toThrow(/^No call of 100 was refused/);
});
