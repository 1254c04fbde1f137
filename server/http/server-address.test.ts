import { describe, expect, test } from 'vitest';
import { formatServerUrl } from './server-address';

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
