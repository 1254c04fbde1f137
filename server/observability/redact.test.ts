import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { redactLine, redactText } from './redact';

const ownAddress = Object.values(networkInterfaces()).flat()[0]?.address;

describe('a line of the log keeps no', () => {
  test.each([
    ['cookie', { headers: { cookie: 'floodgate_session=abc.def' } }],
    ['cookie that is being set', { 'set-cookie': ['a="1"; Path=/', 'b=2'] }],
    ['authorization', { req: { headers: { authorization: 'Bearer "abc" def' } } }],
    ['e-mail in a field', { user: { email: 'abc@def' } }],
    ['address in a field', { ip: 'abc', deep: [{ remoteAddress: 'def' }] }],
    ['forwarding header', { 'x-forwarded-for': 'abc, def' }],
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
