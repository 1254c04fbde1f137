import { expect, test } from 'vitest';
import { readBrowserId, serializeBrowserId } from './cookies';

const ID = 'AAECAwQFBgcICQoLDA0ODw';

test.each([{ secure: false }, { secure: true }])(
  'an id is read from its own cookie, also among other cookies: %j',
  ({ secure }) => {
    const cookie = serializeBrowserId(ID, { secure }).split(';')[0];
    expect(readBrowserId(`theme=dark; ${cookie}; lang=zh`, { secure })).toBe(ID);
  },
);

test.each([
  undefined,
  '',
  'lang=zh',
  'floodgate_browser=',
  'floodgate_browser=short',
  `floodgate_browser=${ID}x`,
])('no id is in %j', (header) => expect(readBrowserId(header, { secure: false })).toBeNull());

test('the cookie is HttpOnly and SameSite, and Secure with https', () => {
  const attributes = (secure: boolean) => serializeBrowserId(ID, { secure }).split('; ').slice(1).sort();
  expect(attributes(false)).toEqual(['HttpOnly', 'Max-Age=3600', 'Path=/', 'SameSite=Lax']);
  expect(attributes(true)).toContain('Secure');
});

test('with https, a cookie that another subdomain could set is ignored', () => {
  expect(serializeBrowserId(ID, { secure: true })).toMatch(/^__Host-floodgate_browser=/);
  expect(readBrowserId(`floodgate_browser=${ID}`, { secure: true })).toBeNull();
});
