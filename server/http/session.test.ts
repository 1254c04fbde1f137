import { sign } from 'cookie-signature';
import { describe, expect, test } from 'vitest';
import type { User } from '../trpc/context';
import { createSessions } from './session';

const OLD = 'old secret, long enough to be one';
const NEW = 'new secret, long enough to be one';
const ANN: User = { id: 'u1', name: 'Ann 安', role: 'shopper' };
const BO: User = { id: 'u2', name: 'Bo', email: 'bo@example.com', role: 'admin' };
const DAY_MS = 24 * 60 * 60 * 1000;

const sessions = createSessions({ secrets: [NEW], secure: true });

test.each([{ secure: false }, { secure: true }])('a session is read from its cookie: %j', ({ secure }) => {
  const { read, serialize, createCookieHeader } = createSessions({ secrets: [NEW], secure });
  const session = { user: ANN, version: 3 };
  expect(read(cookieOf(serialize(session)))).toEqual(session);
  expect(read(createCookieHeader(ANN, 3))).toEqual(session);
});

test('a session keeps an admin’s e-mail and role', () => {
  expect(sessions.read(sessions.createCookieHeader(BO))?.user).toEqual(BO);
});

test('a session is found among other cookies', () => {
  expect(sessions.read(`theme=dark; ${sessions.createCookieHeader(ANN)}; lang=zh`)?.user).toEqual(ANN);
});

test.each([
  { user: ANN, days: 30 },
  { user: BO, days: 0.5 },
])('the cookie of a $user.role is HttpOnly, Lax, for the whole site and for $days days', ({ user, days }) => {
  const cookie = sessions.serialize({ user, version: 0 });
  expect(cookie.split('; ').slice(1).sort()).toEqual(
    ['HttpOnly', `Max-Age=${(days * DAY_MS) / 1000}`, 'Path=/', 'SameSite=Lax', 'Secure'].sort(),
  );
});

test('without https the cookie is not Secure', () => {
  const plain = createSessions({ secrets: [NEW], secure: false });
  expect(plain.serialize({ user: ANN, version: 0 })).not.toContain('Secure');
});

test('the end of a session removes the cookie', () => {
  const plain = createSessions({ secrets: [NEW], secure: false });
  expect(plain.serialize(null)).toMatch(/^floodgate_session=; Max-Age=0;/);
  expect(plain.read(cookieOf(plain.serialize(null)))).toBeNull();
});

describe('with https', () => {
  test('the name prevents other subdomains from setting the cookie', () => {
    expect(sessions.createCookieHeader(ANN)).toMatch(/^__Host-floodgate_session=/);
    for (const session of [{ user: ANN, version: 0 }, null]) {
      expect(sessions.serialize(session)).toMatch(/^__Host-floodgate_session=/);
    }
  });

  test('a cookie without the prefix is rejected', () => {
    const withoutPrefix = createSessions({ secrets: [NEW], secure: false }).createCookieHeader(ANN);
    expect(sessions.read(withoutPrefix)).toBeNull();
  });
});

test('the first secret signs and all verify', () => {
  const before = createSessions({ secrets: [OLD], secure: true });
  const rotated = createSessions({ secrets: [NEW, OLD], secure: true });
  expect(rotated.read(before.createCookieHeader(ANN))?.user).toEqual(ANN);
  expect(sessions.read(rotated.createCookieHeader(ANN))?.user).toEqual(ANN);
  expect(sessions.read(before.createCookieHeader(ANN))).toBeNull();
});

test.each([
  { user: ANN, days: 30 },
  { user: BO, days: 0.5 },
])('$days days later a $user.role is signed out, even if the client keeps the cookie', ({ user, days }) => {
  let now = 1_000;
  const aging = createSessions({ secrets: [NEW], secure: true, now: () => now });
  const cookie = aging.createCookieHeader(user);
  now += days * DAY_MS - 1;
  expect(aging.read(cookie)?.user).toEqual(user);
  now += 1;
  expect(aging.read(cookie)).toBeNull();
});

describe('a session is rejected for', () => {
  const payload = (fields: unknown) => Buffer.from(JSON.stringify(fields)).toString('base64url');
  const signed = (fields: unknown) => sign(payload(fields), NEW);
  const expiresAt = Date.now() + DAY_MS;
  const genuine = signed({ user: ANN, version: 0, expiresAt });
  const plain = createSessions({ secrets: [NEW], secure: false });
  const [, signature] = genuine.split('.');

  test.each([
    ['no cookie', undefined],
    ['another cookie', 'theme=dark'],
    ['an empty one', session('')],
    ['a dot', session('.')],
    ['a payload without signature', session(payload({ user: ANN, version: 0, expiresAt }))],
    [
      'another payload under a genuine signature',
      session(`${payload({ user: { ...ANN, role: 'admin' }, version: 0, expiresAt })}.${signature}`),
    ],
    ['a cut signature', session(genuine.slice(0, -1))],
    ['a longer signature', session(`${genuine}A`)],
    ['a signature by another secret', session(sign(payload({ user: ANN, version: 0, expiresAt }), OLD))],
    [
      'a signed cookie that is too long',
      session(signed({ user: { ...ANN, name: 'x'.repeat(4096) }, version: 0, expiresAt })),
    ],
    ['a signed text that is no JSON', session(sign(Buffer.from('{').toString('base64url'), NEW))],
    ['a signed payload of another shape', session(signed({ id: 'u1', version: 0, expiresAt }))],
    ['no version', session(signed({ user: ANN, expiresAt }))],
    ['a version that is no number', session(signed({ user: ANN, version: 'newest', expiresAt }))],
    ['an unknown role', session(signed({ user: { ...ANN, role: 'root' }, version: 0, expiresAt }))],
    ['a payload that never ends', session(signed({ user: ANN, version: 0 }))],
  ])('%s', (_name, header) => {
    expect(plain.read(header)).toBeNull();
  });

  test('(the unchanged cookie is accepted)', () => {
    expect(plain.read(session(genuine))?.user).toEqual(ANN);
  });
});

test('sessions without a secret do not start', () => {
  expect(() => createSessions({ secrets: [], secure: true })).toThrow(/secret/);
});

function session(value: string): string {
  return `floodgate_session=${encodeURIComponent(value)}`;
}

function cookieOf(setCookie: string): string | undefined {
  return setCookie.split(';')[0];
}
