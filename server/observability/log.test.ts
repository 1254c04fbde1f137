import { expect, test } from 'vitest';
import { createLog } from './log';
import { createRefusalLog } from './refusal-log';

test('a line is redacted in its fields, its child bindings, its message and its error', () => {
  const { log, lines } = logged();
  const error = Object.assign(new Error('no mailbox for ann@example.com'), { detail: 'peer 203.0.113.9' });
  log
    .child({ email: 'ann@example.com' })
    .warn({ err: error, headers: { cookie: 'secret' } }, 'bob@example.com left');

  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(/ann@|bob@|203\.0|secret/);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, msg: '[email] left' });
});

test('lines below the level are not written', () => {
  const { log, lines } = logged('warn');
  log.info('quiet');
  expect(lines).toEqual([]);
});

test('refusals of one level share a line per second, with their number', () => {
  const { log, lines } = logged();
  let now = 5_000;
  const logRefusal = createRefusalLog({ log, now: () => now });
  const refusal = { policy: 'coupon.claim', level: 'user', reason: 'limited', retryAfterMs: 40 } as const;

  for (let call = 0; call < 500; call += 1) logRefusal(refusal);
  now += 1_000;
  logRefusal(refusal);

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { policy: 'coupon.claim', level: 'user', reason: 'limited', retryAfterMs: 40, refused: 1 },
    { refused: 500 },
  ]);
});

test('refusals of different levels do not hide each other', () => {
  const { log, lines } = logged();
  const logRefusal = createRefusalLog({ log, now: () => 5_000 });
  logRefusal({ policy: 'coupon.seckill', level: 'user', reason: 'limited', retryAfterMs: 40 });
  logRefusal({ policy: 'coupon.seckill', level: 'global', reason: 'limited', retryAfterMs: 40 });
  expect(lines).toHaveLength(2);
});

function logged(level: 'info' | 'warn' = 'info') {
  const lines: string[] = [];
  return { lines, log: createLog({ level, stream: { write: (line: string) => lines.push(line) } }) };
}
