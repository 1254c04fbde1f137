import { expect, test } from 'vitest';
import { createAddressRanges } from './address-ranges';

const ranges = createAddressRanges(
  new Map([
    ['10.0.0.0/8', 'ten'],
    ['10.1.0.0/16', 'ten-one'],
    ['2001:db8::/32', 'documentation'],
    ['2001:db8:0:7::/64', 'household'],
  ]),
);

test.each([
  ['10.1.2.3', 'ten-one'],
  ['10.2.2.3', 'ten'],
  ['11.2.2.3', undefined],
  ['2001:db8:0:7::/64', 'household'],
  ['2001:db8:0:8::/64', 'documentation'],
  ['2001:db9::/64', undefined],
  ['::ffff:10.1.2.3', 'ten-one'],
  ['unknown', undefined],
  ['', undefined],
])('the narrowest range of %s is %s', (address, value) => {
  expect(ranges.find(address)).toBe(value);
  expect(ranges.find(address), 'the second search').toBe(value);
});

test('an IPv4 address with the first bits of an IPv6 range is not in it', () => {
  const wide = createAddressRanges(new Map([['0a00::/8', 'wide']]));
  expect(wide.find('10.0.0.1')).toBeUndefined();
  expect(wide.find('0a01::/64')).toBe('wide');
});
