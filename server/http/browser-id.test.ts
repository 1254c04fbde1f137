import { expect, test } from 'vitest';
import { readBrowserId, serializeBrowserId } from './browser-id';

const ID = 'AAECAwQFBgcICQoLDA0ODw';

test.each([{ secure: false }, { secure: true }])(
  'an id that was given is read back, among other cookies: %j',
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

test('no script can read the cookie, no foreign form sends it, and with https it stays there', () => {
  const attributes = (secure: boolean) => serializeBrowserId(ID, { secure }).split('; ').slice(1).sort();
  expect(attributes(false)).toEqual(['HttpOnly', 'Max-Age=3600', 'Path=/', 'SameSite=Lax']);
  expect(attributes(true)).toContain('Secure');
});

test('with https, an id that another subdomain could have set is not read', () => {
  expect(serializeBrowserId(ID, { secure: true })).toMatch(/^__Host-floodgate_browser=/);
  expect(readBrowserId(`floodgate_browser=${ID}`, { secure: true })).toBeNull();
});
