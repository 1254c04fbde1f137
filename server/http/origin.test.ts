import { describe, expect, test } from 'vitest';
import { isForeignOrigin } from './origin';

describe('without a public origin, Origin is compared with Host', () => {
  test.each([
    [undefined, 'sale.example.com', false],
    ['http://sale.example.com', 'sale.example.com', false],
    ['https://sale.example.com', 'sale.example.com', false],
    ['http://SALE.example.com', 'sale.example.COM', false],
    ['http://127.0.0.1:3000', '127.0.0.1:3000', false],
    ['http://[::1]:3000', '[::1]:3000', false],
    ['http://sale.example.com', 'sale.example.com:80', false],
    ['http://127.0.0.1:3001', '127.0.0.1:3000', true],
    ['http://localhost:3000', '127.0.0.1:3000', true],
    ['http://evil.example', 'sale.example.com', true],
    ['http://sale.example.com.evil.example', 'sale.example.com', true],
    ['http://sale.example.com@evil.example', 'sale.example.com', true],
    ['http://sale.example.com/path', 'sale.example.com', true],
    ['http://sale.example.com, http://evil.example', 'sale.example.com', true],
    ['chrome-extension://sale.example.com', 'sale.example.com', true],
    ['file://', 'sale.example.com', true],
    ['null', 'sale.example.com', true],
    ['null', 'null', true],
    ['', 'sale.example.com', true],
    ['http://sale.example.com', undefined, true],
    ['http://undefined', undefined, true],
    ['http://a b', 'a b', true],
  ])('Origin %s, Host %s: foreign is %s', (origin, host, foreign) => {
    expect(isForeignOrigin({ origin, host }, undefined)).toBe(foreign);
  });
});

describe('with a public origin, only that origin is ours, for any Host', () => {
  test.each([
    [undefined, 'sale.example.com', false],
    ['https://sale.example.com', '10.0.0.7:3000', false],
    ['https://SALE.example.com:443', '10.0.0.7:3000', false],
    ['http://sale.example.com', 'sale.example.com', true],
    ['http://10.0.0.7:3000', '10.0.0.7:3000', true],
    ['null', 'sale.example.com', true],
  ])('Origin %s, Host %s: foreign is %s', (origin, host, foreign) => {
    expect(isForeignOrigin({ origin, host }, 'https://sale.example.com')).toBe(foreign);
  });
});
