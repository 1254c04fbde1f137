import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createClientAddress } from './client-address';

const PROXIES = ['10.0.0.0/8', '192.0.2.1', 'fd00::/8'];

describe('without trusted proxies only the socket’s peer counts', () => {
  test.each([
    ['203.0.113.9', undefined, '203.0.113.9'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['10.0.0.1', '198.51.100.1', '10.0.0.1'],
    ['127.0.0.1', '198.51.100.1, 127.0.0.1', '127.0.0.1'],
    ['::ffff:203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['::ffff:cb00:7109', undefined, '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', undefined, '2001:db8:1:2::/64'],
    ['::1', undefined, '::/64'],
    ['fe80::1%eth0', undefined, 'fe80::/64'],
  ])('peer %s, X-Forwarded-For %s → %s', (peer, forwarded, expected) => {
    expect(addressOf([], peer, forwarded)).toBe(expected);
  });
});

describe('behind trusted proxies the first untrusted address from the right counts', () => {
  test.each([
    // An untrusted peer can write any header.
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['203.0.113.9', '10.0.0.1', '203.0.113.9'],
    // One proxy, then two.
    ['10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9 , 192.0.2.1', '203.0.113.9'],
    ['::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, ::ffff:10.0.0.2', '203.0.113.9'],
    ['fd00::1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    // The caller's own entries are on the left and never count.
    ['10.0.0.1', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '10.0.0.7, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '198.51.100.1, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
    // All hops are trusted: the farthest counts.
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    // Some proxies append ports.
    ['10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['10.0.0.1', '[2001:db8:1:2::3]:4711', '2001:db8:1:2::/64'],
    ['10.0.0.1', '[2001:db8:1:2::3]', '2001:db8:1:2::/64'],
    ['10.0.0.1', '2001:db8:1:2::3%zone', '2001:db8:1:2::/64'],
  ])('peer %s, X-Forwarded-For %s → %s', (peer, forwarded, expected) => {
    expect(addressOf(PROXIES, peer, forwarded)).toBe(expected);
  });
});

describe('an entry that is not an address never counts: the nearest valid hop counts', () => {
  test.each([
    'garbage',
    'unknown',
    '_hidden',
    '1',
    '0x7f.1',
    '127.1',
    '2130706433',
    '203.0.113.999',
    '203.0.113.9/32',
    '203.0.113.9 198.51.100.1',
    ':::',
    "'; DROP TABLE users",
    ' ',
  ])('%j', (garbage) => {
    expect(addressOf(PROXIES, '10.0.0.1', garbage)).toBe('10.0.0.1');
    expect(addressOf(PROXIES, '10.0.0.1', `203.0.113.9, ${garbage}`)).toBe('10.0.0.1');
    expect(addressOf(PROXIES, '10.0.0.1', `${garbage}, 10.0.0.2`)).toBe('10.0.0.2');
    expect(addressOf(PROXIES, '10.0.0.1', `${garbage}, 203.0.113.9`)).toBe('203.0.113.9');
  });
});

test('no other header changes the address', () => {
  const clientAddress = createClientAddress({ trustedProxies: PROXIES });
  const forged = {
    forwarded: 'for=198.51.100.1',
    'x-real-ip': '198.51.100.1',
    'cf-connecting-ip': '198.51.100.1',
  };
  expect(clientAddress(request('10.0.0.1', forged))).toBe('10.0.0.1');
});

test.each([
  '0.0.0.0/0',
  '::/0',
  '::ffff:0:0/96',
  '::ffff:10.0.0.1/64',
  '10.0.0.0/33',
  '10.0.0.1/',
  '10.0.0.1:80',
  '[::1]',
  'localhost',
  '',
])('the proxy %j is no address and no range of some addresses', (proxy) => {
  expect(() => createClientAddress({ trustedProxies: [proxy] })).toThrow(
    `trustedProxies is "${proxy}". Use an address`,
  );
});

describe.each([
  ['10.0.0.1', ['10.0.0.1', '::ffff:10.0.0.1', '::FFFF:a00:1', '0:0:0:0:0:ffff:0a00:0001', '10.0.0.1/32']],
  [
    '10.0.0.1',
    ['10.0.0.0/8', '10.9.9.9/8', '::ffff:10.0.0.0/104', '::ffff:a00:0/104', '::FFFF:10.0.0.1/128'],
  ],
  ['fd00::1', ['fd00::1', 'FD00:0:0:0:0:0:0:1', 'fd00::/8', 'fd00::1/128', 'fd00::9/64']],
  ['fe80::1', ['fe80::1%eth0', 'fe80::1']],
])('the proxy %s is trusted in every spelling', (peer, spellings) => {
  test.each(spellings)('%s', (proxy) => {
    const peers = peer.includes(':') ? [peer, `${peer}%eth0`] : [peer, `::ffff:${peer}`];
    for (const one of peers) expect(addressOf([proxy], one, '203.0.113.9')).toBe('203.0.113.9');
    expect(addressOf([proxy], '198.51.100.1', '203.0.113.9')).toBe('198.51.100.1');
  });
});

describe('a peer without an address', () => {
  const forwarded = { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' };
  const unix = { socket: {}, headers: forwarded };

  test('on a Unix socket is an error that names the fix', () => {
    const clientAddress = createClientAddress({ trustedProxies: ['0.0.0.0/1', '128.0.0.0/1'] });
    expect(() => clientAddress(unix)).toThrow('trustedProxies: ["unix"]');
  });

  test('on a trusted Unix socket names the caller', () => {
    expect(createClientAddress({ trustedProxies: ['unix'] })(unix)).toBe('203.0.113.9');
    expect(createClientAddress({ trustedProxies: ['203.0.113.9', 'unix'] })(unix)).toBe('198.51.100.1');
    for (const headers of [{}, { 'x-forwarded-for': 'unknown' }])
      expect(() => createClientAddress({ trustedProxies: ['unix'] })({ socket: {}, headers })).toThrow(
        /named none in X-Forwarded-For/,
      );
  });

  test('whose connection has ended cannot pass for a Unix socket', () => {
    const clientAddress = createClientAddress({ trustedProxies: ['unix'] });
    for (const socket of [{ destroyed: true }, { localAddress: '127.0.0.1' }])
      expect(() => clientAddress({ socket, headers: forwarded })).toThrow('Its connection has ended');
  });
});

test('IPv6 callers are counted by the prefix', () => {
  const clientAddress = createClientAddress({ trustedProxies: [], ipv6Prefix: 56 });
  expect(clientAddress(request('2001:db8:1:2ff::1', {}))).toBe('2001:db8:1:200::/56');
  expect(() => createClientAddress({ trustedProxies: [], ipv6Prefix: 0 })).toThrow('ipv6Prefix is 0');
});

function addressOf(
  trustedProxies: string[],
  peer: string | undefined,
  forwarded: string | undefined,
): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return createClientAddress({ trustedProxies })(request(peer, headers));
}

function request(remoteAddress: string | undefined, headers: IncomingHttpHeaders) {
  return { socket: { remoteAddress }, headers };
}
