import { sign } from 'cookie-signature';
import { describe, expect, test } from 'vitest';
import type { User } from '../trpc/user';
import { createSessions } from './session';

const OLD = 'old secret, long enough to be one';
const NEW = 'new secret, long enough to be one';
const ANN: User = { id: 'u1', name: 'Ann 安', role: 'shopper' };
const DAY_MS = 24 * 60 * 60 * 1000;

const sessions = createSessions({ secrets: [NEW], secure: true });

test('a session that was begun is read back', () => {
  expect(sessions.read(cookieOf(sessions.serialize(ANN)))).toEqual(ANN);
  expect(sessions.read(sessions.sign(ANN))).toEqual(ANN);
});

test('an admin’s e-mail and role survive', () => {
  const admin: User = { id: 'u2', name: 'Bo', email: 'bo@example.com', role: 'admin' };
  expect(sessions.read(sessions.sign(admin))).toEqual(admin);
});

test('it is found among other cookies', () => {
  expect(sessions.read(`theme=dark; ${sessions.sign(ANN)}; lang=zh`)).toEqual(ANN);
});

test('the cookie is HttpOnly, Lax, for the whole site and for 30 days', () => {
  const attributes = sessions.serialize(ANN).split('; ').slice(1);
  expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure']);
});

test('without https the cookie is not Secure', () => {
  expect(createSessions({ secrets: [NEW], secure: false }).serialize(ANN)).not.toContain('Secure');
});

test('ending a session empties the cookie at once', () => {
  expect(sessions.serialize(null)).toMatch(/^floodgate_session=; Max-Age=0;/);
  expect(sessions.read(cookieOf(sessions.serialize(null)))).toBeNull();
});

test('the first secret signs and all verify', () => {
  const before = createSessions({ secrets: [OLD], secure: true });
  const rotated = createSessions({ secrets: [NEW, OLD], secure: true });
  expect(rotated.read(before.sign(ANN))).toEqual(ANN);
  expect(sessions.read(rotated.sign(ANN))).toEqual(ANN);
  expect(sessions.read(before.sign(ANN))).toBeNull();
});

test('30 days later it is over, also for a client that keeps the cookie', () => {
  let now = 1_000;
  const aging = createSessions({ secrets: [NEW], secure: true, now: () => now });
  const cookie = aging.sign(ANN);
  now += 30 * DAY_MS - 1;
  expect(aging.read(cookie)).toEqual(ANN);
  now += 1;
  expect(aging.read(cookie)).toBeNull();
});

describe('nobody is signed in by', () => {
  const payload = (fields: unknown) => Buffer.from(JSON.stringify(fields)).toString('base64url');
  const signed = (fields: unknown) => sign(payload(fields), NEW);
  const expiresAt = Date.now() + DAY_MS;
  const genuine = signed({ user: ANN, expiresAt });
  const [, signature] = genuine.split('.');

  test.each([
    ['no cookie', undefined],
    ['another cookie', 'theme=dark'],
    ['an empty one', session('')],
    ['a dot', session('.')],
    ['a payload without signature', session(payload({ user: ANN, expiresAt }))],
    [
      'another payload under a genuine signature',
      session(`${payload({ user: { ...ANN, role: 'admin' }, expiresAt })}.${signature}`),
    ],
    ['a cut signature', session(genuine.slice(0, -1))],
    ['a longer signature', session(`${genuine}A`)],
    ['a signature by another secret', session(sign(payload({ user: ANN, expiresAt }), OLD))],
    [
      'an oversized cookie, though signed',
      session(signed({ user: { ...ANN, name: 'x'.repeat(4096) }, expiresAt })),
    ],
    ['a signed text that is no JSON', session(sign(Buffer.from('{').toString('base64url'), NEW))],
    ['a signed payload of another shape', session(signed({ id: 'u1', expiresAt }))],
    ['an unknown role', session(signed({ user: { ...ANN, role: 'root' }, expiresAt }))],
    ['a payload that never ends', session(signed({ user: ANN }))],
  ])('%s', (_name, header) => {
    expect(sessions.read(header)).toBeNull();
  });

  test('(the genuine one does)', () => {
    expect(sessions.read(session(genuine))).toEqual(ANN);
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
