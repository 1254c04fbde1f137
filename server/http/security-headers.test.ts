import { expect, test } from 'vitest';
import { createNonce, createSecurityHeaders } from './security-headers';

const overHttps = createSecurityHeaders({ https: true, dev: false });
const overHttp = createSecurityHeaders({ https: false, dev: false });
const developing = createSecurityHeaders({ https: false, dev: true });

test('a page runs only scripts with its nonce, cannot be framed and posts only to its own origin', () => {
  expect(policyOf(overHttp.page('bm9uY2U='))).toEqual({
    'default-src': "'self'",
    'script-src': "'self' 'nonce-bm9uY2U=' 'strict-dynamic'",
    'style-src': "'self' 'nonce-bm9uY2U='",
    'style-src-attr': "'unsafe-inline'",
    'img-src': "'self' data:",
    'font-src': "'self'",
    'connect-src': "'self'",
    'object-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
  });
});

test('only https sends HSTS', () => {
  expect(overHttps.page('n')['strict-transport-security']).toBe('max-age=31536000');
  expect(overHttps.api['strict-transport-security']).toBe('max-age=31536000');
  expect(policyOf(overHttps.page('n'))).toHaveProperty('upgrade-insecure-requests');
  expect(overHttp.page('n')).not.toHaveProperty('strict-transport-security');
  expect(policyOf(overHttp.page('n'))).not.toHaveProperty('upgrade-insecure-requests');
});

test('only development may use eval and a web socket', () => {
  expect(policyOf(developing.page('n'))['script-src']).toContain("'unsafe-eval'");
  expect(policyOf(developing.page('n'))['connect-src']).toContain('ws:');
});

test('answers of the API are neither stored nor rendered', () => {
  expect(overHttp.api).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  });
});

test('a nonce is never repeated and is valid for Next', () => {
  const nonces = Array.from({ length: 100 }, createNonce);
  expect(new Set(nonces).size).toBe(100);
  for (const nonce of nonces) expect(nonce).toMatch(/^[A-Za-z0-9+/_-]+={0,2}$/);
});

function policyOf(headers: Record<string, string>): Record<string, string> {
  const directives = (headers['content-security-policy'] ?? '').split('; ');
  return Object.fromEntries(
    directives.map((directive) => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources.join(' ')];
    }),
  );
}
