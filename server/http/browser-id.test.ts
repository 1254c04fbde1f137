import { expect, test } from 'vitest';
import { browserIdCookie, readBrowserId } from './browser-id';

const ID = 'AAECAwQFBgcICQoLDA0ODw';

test('an id that was given is read back, among other cookies', () => {
  const cookie = browserIdCookie(ID, { secure: false }).split(';')[0];
  expect(readBrowserId(`theme=dark; ${cookie}; lang=zh`)).toBe(ID);
});

test.each([
  undefined,
  '',
  'lang=zh',
  'floodgate_browser=',
  'floodgate_browser=short',
  `floodgate_browser=${ID}x`,
])('no id is in %j', (header) => expect(readBrowserId(header)).toBeNull());

test('no script can read the cookie, no foreign form sends it, and with https it stays there', () => {
  const attributes = (secure: boolean) => browserIdCookie(ID, { secure }).split('; ').slice(1).sort();
  expect(attributes(false)).toEqual(['HttpOnly', 'Max-Age=3600', 'Path=/', 'SameSite=Lax']);
  expect(attributes(true)).toContain('Secure');
});
