import { describe, expect, test } from 'vitest';
import type { Browser } from '../trpc/context';
import { type BrowserCookieOptions, createBrowserCookies } from './browser-cookies';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A browser that keeps the cookies of its requests. Each request may reach another node. */
function createBrowser(options: Partial<BrowserCookieOptions> = {}) {
  const kept = new Map<string, string>();
  const set: string[] = [];
  return {
    kept,
    /** The `Set-Cookie` texts, oldest first. */
    set,
    request<Result>(
      call: (browser: Browser) => Result,
      settings: Partial<BrowserCookieOptions> = {},
    ): Result {
      const open = createBrowserCookies({ secrets: ['new'], secure: false, ...options, ...settings });
      const header = [['lang', 'zh'], ...kept].map((pair) => pair.join('=')).join('; ');
      const browser = open(header, (cookie) => {
        set.push(cookie);
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        kept.set(name, value);
      });
      return call(browser);
    },
  };
}

test('a browser has requested codes and signed in only for the addresses that were recorded', () => {
  const { request } = createBrowser();
  const id = request((browser) => browser.recordCodeRequest('ada@example.com'));
  expect(id).toMatch(/^[\w-]{22}$/);
  request((browser) => browser.recordSignIn('grace@example.com'));
  request((browser) => {
    expect(browser.requestedCode('ada@example.com')).toBe(id);
    expect(browser.signedInTo('ada@example.com')).toBeNull();
    expect(browser.signedInTo('grace@example.com')).toMatch(/^[\w-]{22}$/);
    expect(browser.requestedCode('grace@example.com')).toBeNull();
    expect(browser.requestedCode('eve@example.com')).toBeNull();
  });
});

test('a renewed record keeps its id', () => {
  const { request, kept } = createBrowser();
  const ids = [0, 1].map(() => request((browser) => browser.recordCodeRequest('ada@example.com')));
  expect(ids[0]).toBe(ids[1]);
  expect(kept.get('floodgate_browser')).not.toContain('~');
});

test('two calls of one request are both recorded', () => {
  const { request } = createBrowser();
  request((browser) => {
    browser.recordCodeRequest('ada@example.com');
    browser.recordCodeRequest('bob@example.com');
  });
  for (const email of ['ada@example.com', 'bob@example.com'])
    expect(request((browser) => browser.requestedCode(email))).not.toBeNull();
});

test('a cookie has the eight newest addresses, names none of them, and stays below 1 KB', () => {
  const { request, kept } = createBrowser();
  const emails = Array.from({ length: 9 }, (_, n) => `ada-${n}@example.com`);
  for (const email of emails) request((browser) => browser.recordSignIn(email));
  const known = emails.map((email) => request((browser) => browser.signedInTo(email)) !== null);
  expect(known).toEqual([false, ...Array(8).fill(true)]);
  const cookie = kept.get('floodgate_known') ?? '';
  expect(cookie.length).toBeLessThan(1_000);
  expect(cookie).not.toMatch(/ada|example/);
});

test('the first secret signs and all verify', () => {
  const { request } = createBrowser();
  const emails = ['ada@example.com', 'bob@example.com'] as const;
  request((browser) => browser.recordSignIn(emails[0]), { secrets: ['old'] });
  const both = { secrets: ['new', 'old'] };
  const id = request((browser) => browser.signedInTo(emails[0]), both);
  expect(id).not.toBeNull();
  // A sign-in to another address keeps the first, and one to the first renews it with the new secret.
  request((browser) => browser.recordSignIn(emails[1]), both);
  expect(request((browser) => browser.signedInTo(emails[0]), both)).toBe(id);
  request((browser) => browser.recordSignIn(emails[0]), both);
  for (const email of emails) expect(request((browser) => browser.signedInTo(email))).not.toBeNull();
  expect(request((browser) => browser.signedInTo(emails[0]))).toBe(id);
});

test.each([
  { purpose: 'request for a code', name: 'floodgate_browser', lifetimeMs: DAY_MS / 24 },
  { purpose: 'sign-in', name: 'floodgate_known', lifetimeMs: 365 * DAY_MS },
])('a $purpose is known for $lifetimeMs ms, even if the client keeps the cookie', ({ name, lifetimeMs }) => {
  let now = Date.UTC(2030, 0, 1);
  const { request, set } = createBrowser({ now: () => now });
  const isKnown = () =>
    request(({ requestedCode, signedInTo }) =>
      name === 'floodgate_known' ? signedInTo('ada@example.com') : requestedCode('ada@example.com'),
    ) !== null;
  request(({ recordCodeRequest, recordSignIn }) =>
    name === 'floodgate_known' ? recordSignIn('ada@example.com') : recordCodeRequest('ada@example.com'),
  );
  expect(set[0]).toContain(`${name}=`);
  expect(set[0]?.split('; ').slice(1).sort()).toEqual([
    'HttpOnly',
    `Max-Age=${lifetimeMs / 1000}`,
    'Path=/',
    'SameSite=Lax',
  ]);
  now += lifetimeMs - 1;
  expect(isKnown()).toBe(true);
  now += 1;
  expect(isKnown()).toBe(false);
});

describe('a browser is a stranger with', () => {
  const { request, kept } = createBrowser();
  request((browser) => browser.recordSignIn('ada@example.com'));
  const genuine = kept.get('floodgate_known') ?? '';
  const [id, expiresAt, signature] = genuine.split('.');

  test.each([
    ['no cookie', ''],
    ['a made-up id', 'AAECAwQFBgcICQoLDA0ODw'],
    ['a cut signature', genuine.slice(0, -1)],
    ['a longer signature', `${genuine}A`],
    ['another id', `AAECAwQFBgcICQoLDA0ODw.${expiresAt}.${signature}`],
    ['a later end', `${id}.z${expiresAt}.${signature}`],
    ['no end', `${id}..${signature}`],
    ['a record behind eight others', `${'x~'.repeat(8)}${genuine}`],
  ])('%s', (_case, value) => {
    const forged = createBrowser();
    forged.kept.set('floodgate_known', value);
    expect(forged.request((browser) => browser.signedInTo('ada@example.com'))).toBeNull();
  });

  test('the cookie of a request for a code under the name of a sign-in', () => {
    const forged = createBrowser();
    forged.request((browser) => browser.recordCodeRequest('ada@example.com'));
    forged.kept.set('floodgate_known', forged.kept.get('floodgate_browser') ?? '');
    expect(forged.request((browser) => browser.signedInTo('ada@example.com'))).toBeNull();
  });

  test('(the unchanged cookie is accepted)', () => {
    expect(request((browser) => browser.signedInTo('ada@example.com'))).toBe(id);
  });
});

test('with https, the cookies are Secure, and one that another subdomain could set is ignored', () => {
  const { request, kept, set } = createBrowser({ secure: true });
  request((browser) => browser.recordSignIn('ada@example.com'));
  expect(set[0]).toMatch(/^__Host-floodgate_known=.*; Secure/);
  const value = kept.get('__Host-floodgate_known') ?? '';
  kept.clear();
  kept.set('floodgate_known', value);
  expect(request((browser) => browser.signedInTo('ada@example.com'))).toBeNull();
});
