import { expect, test } from 'vitest';
import { serve } from '../../test/http-server';
import type { User } from '../trpc/user';
import { createAdminLiveRoute } from './admin-live-route';
import { createSessions } from './session';

const DAY_MS = 24 * 60 * 60 * 1_000;
const admin: User = { id: 'the-admin', name: 'Ada', role: 'admin' };

/** A stream for admins that ends at once, after it was asked whether its viewer may stay. */
async function streaming() {
  let now = 1_700_000_000_000;
  const sessions = createSessions({ secrets: ['a secret'], secure: false, now: () => now });
  const answers: (boolean | undefined)[] = [];
  const hub = {
    add(viewer: { end(): unknown }, { mayStay }: { mayStay?: () => boolean } = {}) {
      answers.push(mayStay?.());
      now += 31 * DAY_MS;
      answers.push(mayStay?.());
      viewer.end();
    },
    close: () => undefined,
  };
  const { origin } = await serve(createAdminLiveRoute({ hub, sessions }));
  const statusFor = async (user: User | undefined) => {
    const headers = user ? { cookie: sessions.sign(user) } : undefined;
    return (await fetch(origin, { headers })).status;
  };
  return { statusFor, answers };
}

test('an admin may look until the session has ended', async () => {
  const { statusFor, answers } = await streaming();
  expect(await statusFor(admin)).toBe(200);
  expect(answers).toEqual([true, false]);
});

test('whoever is no admin is never shown anything', async () => {
  const { statusFor, answers } = await streaming();
  expect(await statusFor(undefined)).toBe(401);
  expect(await statusFor({ ...admin, role: 'shopper' })).toBe(403);
  expect(answers).toEqual([]);
});
