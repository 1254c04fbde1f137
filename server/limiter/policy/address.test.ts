import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property';
import { normalizeAddress, normalizeRange, parseRange } from './address';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  [' 192.0.2.1 ', '192.0.2.1'],
  ['192.0.2.1:4711', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:c000:0201', '192.0.2.1'],
  ['[::ffff:192.0.2.1]:4711', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002:0003:0004:0005:0006', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::3]:4711', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::/64', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:3::/80', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::1', '::/64'],
  ['2001:db8::/63', undefined],
  ['2001:db8::/129', undefined],
  ['2001:db8::/64/64', undefined],
  ['2001:db8::/', undefined],
  ['192.0.2.1/32', undefined],
  ['192.0.2.0/24', undefined],
  ['::ffff:192.0.2.1/128', undefined],
  ['192.0.2.1, 192.0.2.2', undefined],
  ['1', undefined],
  ['0x7f.1', undefined],
  ['unknown', undefined],
  ['', undefined],
])('the address %j is counted as %j', (text, counted) => {
  expect(normalizeAddress(text)).toBe(counted);
});

test('an address is a text that Node accepts as one', () => {
  const parts = [
    '::',
    ':',
    '0',
    'ffff',
    '1A',
    '12345',
    '192.0.2.1',
    '256.1.1.1',
    '1.2.3.04',
    '.',
    '%eth0',
    '%',
    ' ',
  ];
  const texts = fc.oneof(
    fc.array(fc.constantFrom(...parts), { maxLength: 18 }).map((list) => list.join('')),
    fc
      .array(fc.constantFrom('0', 'ff', 'abcd', '', '1.2.3.4'), { maxLength: 10 })
      .map((list) => list.join(':')),
    fc.ipV4(),
    fc.ipV4Extended(),
    fc.ipV6(),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdefxX.:%') }),
  );
  fc.assert(
    fc.property(texts, (text) => (parseRange(text) !== undefined) === isIP(text) > 0),
    propertyRuns(100_000, { short: 10_000 }),
  );
});

describe('for every prefix', () => {
  const prefixes = fc.integer({ min: 1, max: 128 });
  const mapped = fc.ipV4().map((address) => `::ffff:${address}`);
  const nearlyMapped = fc
    .tuple(fc.constantFrom('fffe', 'ffff', '7fff', '0'), fc.nat(0xffff), fc.nat(0xffff))
    .map(([first, ...rest]) => `::${[first, ...rest.map((part) => part.toString(16))].join(':')}`);
  const spelled = fc
    .oneof(fc.ipV4(), fc.ipV6(), mapped, nearlyMapped)
    .chain((address) =>
      fc.constantFrom(address, address.toUpperCase(), ` ${address}`, `${address}/128`, `[${address}]:80`),
    );

  test('normalising twice changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(spelled, fc.string()), prefixes, (text, ipv6Prefix) => {
        const once = normalizeAddress(text, { ipv6Prefix });
        fc.pre(once !== undefined);
        expect(normalizeAddress(once ?? '', { ipv6Prefix })).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });

  test('two addresses count as one exactly if their first bits are equal', () => {
    const bitsOf = (parts: readonly number[]) =>
      parts.map((part) => part.toString(2).padStart(16, '0')).join('');
    const parts = fc.array(fc.constantFrom(0x2001, 0x2003, 0x8000, 0), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(parts, parts, prefixes, (one, other, ipv6Prefix) => {
        const counted = (address: number[]) =>
          normalizeAddress(address.map((part) => part.toString(16)).join(':'), { ipv6Prefix });
        const areEqual = bitsOf(one).slice(0, ipv6Prefix) === bitsOf(other).slice(0, ipv6Prefix);
        expect(counted(one) === counted(other)).toBe(areEqual);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a network of more bits counts as the one that contains it', () => {
    expect(normalizeAddress('2001:db8:1:2::/64', { ipv6Prefix: 48 })).toBe('2001:db8:1::/48');
    expect(normalizeAddress('2001:db8:1:2::/64', { ipv6Prefix: 80 })).toBeUndefined();
  });
});

test.each([0, 129, 64.5, Number.NaN, '64'])('ipv6Prefix %s is an error', (ipv6Prefix) => {
  expect(() => normalizeAddress('::1', { ipv6Prefix: ipv6Prefix as number })).toThrow(
    /^normalizeAddress: ipv6Prefix is /,
  );
});

test.each([
  ['192.0.2.77/24', '192.0.2.0/24'],
  [' 10.1.2.3/8 ', '10.0.0.0/8'],
  ['192.0.2.77/32', '192.0.2.77/32'],
  ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
  ['::ffff:0:0/96', undefined],
  ['2001:db8:1:2::9/48', '2001:db8:1::/48'],
  ['2001:db8:1:2::9/64', '2001:db8:1:2::/64'],
  ['2001:db8::/65', undefined],
  ['192.0.2.0/33', undefined],
  ['0.0.0.0/0', undefined],
  ['192.0.2.0', undefined],
  ['1/8', undefined],
  ['192.0.2.0/24/8', undefined],
])('the range %s is %s', (text, range) => {
  expect(normalizeRange(text)).toBe(range);
});
