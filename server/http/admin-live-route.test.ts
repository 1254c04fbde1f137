import { expect, test } from 'vitest';
import { startHttpServer } from '../../test/http-server';
import type { ViewerOptions } from '../live/event-hub';
import type { SessionState, User } from '../trpc/context';
import { createAdminLiveRoute } from './admin-live-route';
import { createSessions } from './session';

const HOUR_MS = 60 * 60 * 1_000;
const admin: User = { id: 'the-admin', name: 'Ada', role: 'admin' };

/** A stream for admins that ends immediately, after two checks of its viewer. */
async function streaming({ states = [] as SessionState[], laterMs = 0 } = {}) {
  let now = 1_700_000_000_000;
  const sessions = createSessions({ secrets: ['a secret'], secure: false, now: () => now });
  const answers: (boolean | undefined)[] = [];
  const checkSession = async () => states.shift() ?? 'current';
  const hub = {
    async add(viewer: { end(): unknown }, { mayStay }: ViewerOptions = {}) {
      answers.push(await mayStay?.());
      now += laterMs;
      answers.push(await mayStay?.());
      viewer.end();
    },
    close: () => undefined,
  };
  const { origin } = await startHttpServer(createAdminLiveRoute({ hub, sessions, checkSession }));
  const statusFor = async (user: User | undefined) => {
    const headers = user ? { cookie: sessions.createCookieHeader(user) } : undefined;
    return (await fetch(origin, { headers })).status;
  };
  return { statusFor, answers };
}

test('an admin keeps the stream until the session ends', async () => {
  const { statusFor, answers } = await streaming({ laterMs: 12 * HOUR_MS });
  expect(await statusFor(admin)).toBe(200);
  expect(answers).toEqual([true, false]);
});

test('callers other than admins get no events', async () => {
  const { statusFor, answers } = await streaming();
  expect(await statusFor(undefined)).toBe(401);
  expect(await statusFor({ ...admin, role: 'shopper' })).toBe(403);
  expect(answers).toEqual([]);
});

test('a revoked session gets 401, and its stream ends', async () => {
  const revoked = await streaming({ states: ['revoked'] });
  expect(await revoked.statusFor(admin)).toBe(401);
  const later = await streaming({ states: ['current', 'current', 'revoked'] });
  expect(await later.statusFor(admin)).toBe(200);
  expect(later.answers).toEqual([true, false]);
});

test('while Postgres is down, an admin keeps the stream', async () => {
  const { statusFor, answers } = await streaming({ states: ['unchecked', 'unchecked', 'unchecked'] });
  expect(await statusFor(admin)).toBe(200);
  expect(answers).toEqual([true, true]);
});
