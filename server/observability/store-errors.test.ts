import { expect, test } from 'vitest';
import { createStoreErrors } from './store-errors';

function setUp() {
  const clock = { now: 0 };
  const lines: [level: string, fields: object, message: string][] = [];
  const counted: string[] = [];
  const line = (level: string) => (fields: object, message: string) => lines.push([level, fields, message]);
  const errors = createStoreErrors({
    // The two signatures of pino that are used here.
    log: { error: line('error'), warn: line('warn') } as never,
    countStoreError: (kind) => counted.push(kind),
    now: () => clock.now,
  });
  const oom = () => ({ kind: 'OOM', hasNoReply: false, error: new Error('OOM command not allowed') });
  return { ...errors, clock, lines, counted, oom };
}

test('the first error of a kind is logged with its cause, then one line every 10 s has their number', () => {
  const { observe, clock, lines, oom } = setUp();
  const first = oom();
  observe(first);
  for (let ms = 0; ms < 10_000; ms += 100) {
    clock.now = ms;
    observe(oom());
  }
  expect(lines).toEqual([
    ['error', { err: first.error, kind: 'OOM', failed: 1 }, 'Redis replied with an error.'],
  ]);
  clock.now = 10_000;
  observe(oom());
  expect(lines[1]?.[1]).toMatchObject({ failed: 101 });
});

test('an error that several parts report counts once', () => {
  const { observe, counted, oom } = setUp();
  const error = oom();
  observe(error);
  observe(error);
  expect(counted).toEqual(['OOM']);
});

test('error replies are shown for a minute by kind, without timeouts', async () => {
  const { observe, health, clock, lines, counted, oom } = setUp();
  expect(await health()).toEqual({
    ok: true,
    detail: 'no error replies in the last minute',
    findings: [{ code: 'no-error-replies' }],
  });
  observe({ kind: 'timeout', hasNoReply: true, error: new Error('silent') });
  expect((await health()).ok).toBe(true);
  expect(lines[0]).toMatchObject(['warn', { kind: 'timeout' }, 'Redis did not reply.']);
  observe(oom());
  clock.now = 30_000;
  observe(oom());
  observe({ kind: 'NOPERM', hasNoReply: false, error: new Error('NOPERM') });
  expect(counted).toEqual(['timeout', 'OOM', 'OOM', 'NOPERM']);
  expect(await health()).toEqual({
    ok: false,
    detail: 'error replies in the last minute: 2 × OOM, 1 × NOPERM; the log has the causes',
    findings: [{ code: 'error-replies', values: { counts: '2 × OOM, 1 × NOPERM' } }],
  });
  clock.now = 60_000;
  expect((await health()).detail).toContain('1 × OOM, 1 × NOPERM');
  clock.now = 90_000;
  expect((await health()).ok).toBe(true);
});
