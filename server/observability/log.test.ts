import { networkInterfaces } from 'node:os';
import { DrizzleQueryError } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StoreUnavailableError } from '../limiter/index';
import { createLog, createRefusalLog, errorFields, redactLine, redactText } from './log';

describe('a log line', () => {
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
});

describe('an error in the log', () => {
  test('a failed statement is logged with its cause and without its parameters', () => {
    const cause = new Error('connection refused');
    const error = new DrizzleQueryError(
      'insert into orders values ($1)',
      ['K2NJ6MNQTT', 'ada@example.com'],
      cause,
    );
    const shown = JSON.stringify(errorFields(error));
    expect(shown).toContain('insert into orders');
    expect(shown).toContain('connection refused');
    expect(shown).toContain('log.test');
    expect(shown).not.toContain('K2NJ6MNQTT');
    expect(shown).not.toContain('ada@example.com');
  });

  test('a broken connection is logged without its client, which has the password and refers to itself', () => {
    const client: Record<string, unknown> = { password: 'a password' };
    client.self = client;
    const error = Object.assign(new Error('Connection terminated unexpectedly'), { client });
    const shown = JSON.stringify(errorFields(new Error('the ledger failed', { cause: error })));
    expect(shown).toContain('Connection terminated unexpectedly');
    expect(shown).not.toContain('a password');
  });

  test('an error of several, one of them its own cause, is logged with all of them', () => {
    const one = new Error('refused by ::1');
    one.cause = one;
    const shown = JSON.stringify(errorFields(new AggregateError([one, new Error('refused by 127.0.0.1')])));
    expect(shown).toContain('refused by ::1');
    expect(shown).toContain('refused by 127.0.0.1');
  });
});

describe('redaction', () => {
  const ownAddress = Object.values(networkInterfaces()).flat()[0]?.address;

  describe('a line of the log keeps no', () => {
    test.each([
      ['cookie', { headers: { cookie: 'floodgate_session=abc.def' } }],
      ['cookie that is being set', { 'set-cookie': ['a="1"; Path=/', 'b=2'] }],
      ['authorization', { req: { headers: { authorization: 'Bearer "abc" def' } } }],
      ['e-mail in a field', { user: { email: 'abc@def' } }],
      ['address in a field', { ip: 'abc', deep: [{ remoteAddress: 'def' }] }],
      ['forwarding header', { 'x-forwarded-for': 'abc, def' }],
      ['list of addresses in brackets', { 'x-forwarded-for': ['[abc]', 'def"]'] }],
    ])('%s', (_name, fields) => {
      const line = redactLine(JSON.stringify(fields));
      expect(line).not.toMatch(/abc|def/);
      expect(() => JSON.parse(line)).not.toThrow();
    });
  });

  describe('text', () => {
    test.each([
      ['duplicate key (email)=(ann.lee+x@mail.example.com)', 'duplicate key (email)=([email])'],
      ['refused 203.0.113.9 twice', 'refused [address] twice'],
      ['peer 203.0.113.9:5000', 'peer [address]:5000'],
      ['peer 2001:db8:1:2::7 left', 'peer [address] left'],
      ['peer [2001:db8::7]:443', 'peer [[address]]:443'],
      ['peer ::ffff:203.0.113.9', 'peer [address]'],
      ['left by 2001:db8::7.', 'left by [address].'],
      ['peer 2001:db8::7: closed', 'peer [address]: closed'],
      ['ann@a.com+bob@b.com, c@d.org-e@f.org', '[email], [email]'],
      ['ann@a.com1.b@1+bob@b.com', '[email]1.b@[email]'],
      ['postgres://app:pw@db.example.com/sale', 'postgres://[credentials]@db.example.com/sale'],
      ['postgres://app:p%40w@db/sale', 'postgres://[credentials]@db/sale'],
    ])('%s → %s', (text, redacted) => {
      expect(redactText(text)).toBe(redacted);
    });

    test.each([
      'next@16.4.6 of user@localhost',
      'connect ECONNREFUSED 127.0.0.1:6379',
      'listening on http://[::1]:3000',
      `listening on http://${ownAddress}:3000`,
      'at purchase (file:///srv/app/server/orders/purchase.ts:12:34)',
      'took 12:34:56.789, version 16.4.6, 999.999.999.999',
      '@trpc/server and @scope/name@1.2.3',
      '{"time":1700000000000,"level":30}',
    ])('%s stays', (text) => {
      expect(redactText(text)).toBe(text);
    });
  });

  describe('in any surrounding text, no match is left of', () => {
    const textOf = (parts: readonly string[]) =>
      fc.array(fc.constantFrom(...parts)).map((list) => list.join(''));

    test('an e-mail', () => {
      const parts = ['a', '1', 'é', '.', '-', '+', '@', '@', 'b.cc', '.dd@', '=', ' ', '"', '://'];
      const email = /[\p{L}\d.!#$%&'*+=?^_`{|}~-]+@(?:[\p{L}\d-]+\.)+\p{L}{2,}/u;
      fc.assert(
        fc.property(textOf(parts), (text) => {
          expect(redactText(text)).not.toMatch(email);
        }),
        { seed: 14, numRuns: 300 },
      );
    });

    test('an IPv6 address', () => {
      const between = fc.constantFrom(' ', ',', '. ', ': ', '[', ']:443 ', '"', '%eth0 ', '/', 'g ');
      const parts = fc.array(fc.tuple(fc.ipV6(), between));
      fc.assert(
        fc.property(parts, (list) => {
          const redacted = redactText(list.flat().join(''));
          for (const [address, after] of list) {
            if (after !== 'g ' && address !== '::' && address !== '::1')
              expect(redacted).not.toContain(address + after);
          }
        }),
        { seed: 14, numRuns: 300 },
      );
    });
  });
});

test('an unavailable store is logged without a stack, with its causes; a fault of this process keeps its stack', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:6379'), { syscall: 'connect' });
  const failures = [
    new StoreUnavailableError('the store did not reply within 250 ms', { kind: 'timeout' }),
    new StoreUnavailableError('the store failed', { cause: new Error('OOM command not allowed') }),
    new Error('Failed query: select 1', { cause: refused }),
  ];
  for (const failure of failures) expect(JSON.stringify(errorFields(failure))).not.toContain('stack');
  expect(errorFields(failures[2] as Error)).toMatchObject({ cause: { message: refused.message } });
  const faults = [
    new StoreUnavailableError('the store failed', { cause: new TypeError('decide.lua replied 1') }),
    new TypeError('undefined is not a function'),
    Object.assign(new Error('spawn nginx ENOENT'), { syscall: 'spawn nginx', path: 'nginx' }),
    Object.assign(new Error('ENOENT: no such file'), { syscall: 'open', path: 'message.mjs' }),
  ];
  for (const fault of faults) expect(errorFields(fault)).toHaveProperty('stack');
});
