import { describe, expect, test } from 'vitest';
import { formatServerUrl, isLoopbackHost, isLoopbackName } from './server-address';

describe('formatServerUrl', () => {
  describe('the URL to open on this machine', () => {
    test.each([
      ['127.0.0.1', 'http://127.0.0.1:3000'],
      ['localhost', 'http://localhost:3000'],
      ['0.0.0.0', 'http://127.0.0.1:3000'],
      ['192.0.2.5', 'http://192.0.2.5:3000'],
      ['::', 'http://[::1]:3000'],
      ['::1', 'http://[::1]:3000'],
      ['2001:db8::5', 'http://[2001:db8::5]:3000'],
      ['sale.example.com', 'http://sale.example.com:3000'],
    ])('HOST=%s → %s', (host, url) => {
      expect(formatServerUrl({ host, port: 3000 })).toBe(url);
      expect(new URL(url).port).toBe('3000');
    });
  });
});

describe('loopback names', () => {
  test.each([
    'localhost',
    'LOCALHOST:3000',
    'sale.localhost:3000',
    '127.0.0.1',
    '127.1.2.3:80',
    '[::1]',
    '[::1]:3000',
    'localhost:',
  ])('the Host %s is this machine', (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  test.each([
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    'evillocalhost',
    '127.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.1:80:80',
    '192.168.1.5:3000',
    '0.0.0.0',
    '[::]',
    '[2001:db8::1]',
    '::1',
    'localhost@evil.example',
    'localhost, evil.example',
    '',
  ])('the Host %j may be another', (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });

  test('a listen address is loopback or open to others', () => {
    expect(['127.0.0.1', 'localhost', '::1'].map(isLoopbackName)).toEqual([true, true, true]);
    expect(['0.0.0.0', '::', '192.168.1.5'].map(isLoopbackName)).toEqual([false, false, false]);
  });
});
