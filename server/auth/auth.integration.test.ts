import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestContext } from '../../test/context';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { databases } from '../../test/databases';
import { users } from '../db/schema';
import { createCallerFactory } from '../trpc/procedures';
import { createAuthRouter } from './router';
import { createSessionVersions } from './session-versions';
import { createSignInDemo } from './sign-in-demo';

/** Codes by e-mail have a test file of their own. */
const notAsked = () => Promise.reject(new Error('there is no sign-in by e-mail here'));

describe.each(databases)('sign-in on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
  });
  afterAll(() => database.drop());

  function visit({
    demo = true,
    ...overrides
  }: { demo?: boolean } & Parameters<typeof createTestContext>[0] = {}) {
    const context = createTestContext(overrides);
    const router = createAuthRouter({
      demo,
      signInDemo: createSignInDemo({ db: database.db }),
      sendCode: notAsked,
      verifyCode: notAsked,
      revokeSession: createSessionVersions({ db: database.db }).revoke,
    });
    return { context, call: createCallerFactory(router)(context) };
  }

  test('a demo sign-in returns the user and sets their session', async () => {
    const { context, call } = visit();
    const { user } = await call.signInDemo({ name: ' Ann ' });
    expect(user).toEqual({ id: expect.any(String), name: 'Ann', role: 'shopper' });
    expect(context.sessions).toEqual([user]);
  });

  test('the same name is the same shopper, also when two browsers sign in at once', async () => {
    const visits = await Promise.all(
      Array.from({ length: 8 }, () => visit().call.signInDemo({ name: '李雷' })),
    );
    expect(new Set(visits.map(({ user }) => user.id)).size).toBe(1);
    expect((await visit().call.signInDemo({ name: 'Li Lei' })).user.id).not.toBe(visits[0]?.user.id);
  });

  test('a given role is set, and without one the role stays', async () => {
    const roles: string[] = [];
    for (const role of [undefined, 'admin', undefined, 'shopper'] as const) {
      roles.push((await visit().call.signInDemo({ name: 'Grace', role })).user.role);
    }
    expect(roles).toEqual(['shopper', 'admin', 'admin', 'shopper']);
  });

  test('without a name, every sign-in is a new shopper with a random name in the language of the caller', async () => {
    const { user: english } = await visit({ language: 'en' }).call.signInDemo();
    const { user: chinese } = await visit({ language: 'zh' }).call.signInDemo({});
    expect(english.name).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+ \d+$/);
    expect(chinese.name).toMatch(/^\p{Script=Han}+ \d+$/u);
    expect(english.id).not.toBe(chinese.id);
  });

  test.each([[''], ['   '], ['x'.repeat(41)], ['A\0B'], ['A\nB']])(
    'the name %j is a bad request',
    async (name) => {
      await expect(visit().call.signInDemo({ name })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    },
  );

  test('a demo shopper is never the owner of an e-mail with the same name', async () => {
    await database.db
      .insert(users)
      .values({ id: 'real', name: 'Ada', email: 'ada@example.com', role: 'admin' });
    const { user } = await visit().call.signInDemo({ name: 'Ada' });
    expect(user).toMatchObject({ name: 'Ada', role: 'shopper' });
    expect(user.id).not.toBe('real');
  });

  test('outside demo mode the procedure does not exist', async () => {
    const { context, call } = visit({ demo: false });
    await expect(call.signInDemo({ name: 'Ann' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(context.sessions).toEqual([]);
  });

  test('me returns the signed-in user or null; signing out clears the session', async () => {
    const user = { id: 'u', name: 'Ann', role: 'shopper' as const };
    const { context, call } = visit({ user });
    expect(await call.me()).toEqual({ user });
    expect(await visit().call.me()).toEqual({ user: null });
    expect(await call.signOut()).toEqual({});
    expect(context.sessions).toEqual([null]);
  });
});
