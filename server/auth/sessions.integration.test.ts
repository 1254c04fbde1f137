import { randomUUID } from 'node:crypto';
import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { databases } from '../../test/databases';
import { startTestNode, type TestNode } from '../../test/node';
import { startEmptyRedis } from '../../test/services/empty-redis';
import type { TestService } from '../../test/services/test-service';
import { users } from '../db/schema';
import { createSessions } from '../http/session';
import type { AppRouter } from '../router';

const SECRET = 'a secret that the nodes of this test share';

/** A client that keeps its cookies; `copy` is another one with the same. */
function browserAt(node: TestNode, cookies = new Map<string, string>()) {
  const { auth, limit, ops } = createTRPCClient<AppRouter>({
    links: [
      httpLink({
        url: `${node.url}/api/trpc`,
        headers: () => ({ cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        async fetch(input, init) {
          const answer = await fetch(input, init);
          for (const cookie of answer.headers.getSetCookie()) {
            const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
            if (value === '') cookies.delete(name);
            else cookies.set(name, value);
          }
          return answer;
        },
      }),
    ],
  });
  return {
    ...{ auth, limit, ops },
    cookies,
    copyAt: (other: TestNode) => browserAt(other, new Map(cookies)),
  };
}

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof TRPCClientError ? error.data?.code : error;
}

const kept = { policy: 'coupon.claim', level: 'user', limit: 3 };

describe.each(databases)('sessions on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  let redis: TestService;
  let nodes: [TestNode, TestNode];

  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
    redis = await startEmptyRedis();
    const settings = {
      ...{ REDIS_URL: redis.url, DATABASE_URL: database.url, FLOODGATE_DEMO: '1' },
      ...{ FLOODGATE_PGLITE: pglite ? '1' : '0', SESSION_SECRETS: SECRET },
    };
    nodes = [await startTestNode(settings), await startTestNode(settings)];
  });
  afterAll(async () => {
    await Promise.all((nodes ?? []).map((node) => node.stop()));
    await database.drop();
    await redis.stop();
  });

  async function signedIn({ role, name }: { role: 'admin' | 'shopper'; name?: string }) {
    const browser = browserAt(nodes[0]);
    const { user } = await browser.auth.signInDemo.mutate({ role, name });
    return { browser, user };
  }

  test('signing out revokes every copy of an admin’s cookie, on every node', async () => {
    const { browser } = await signedIn({ role: 'admin' });
    const copy = browser.copyAt(nodes[1]);
    expect((await copy.limit.list.query()).policies).not.toEqual([]);
    await browser.auth.signOut.mutate();
    expect(browser.cookies.size).toBe(0);
    expect(await codeOf(copy.limit.list.query())).toBe('UNAUTHORIZED');
    expect(await codeOf(copy.limit.update.mutate(kept))).toBe('UNAUTHORIZED');
    expect(await copy.auth.me.query()).toEqual({ user: null });
    const stream = await fetch(`${nodes[1].url}/api/ops/live`, {
      headers: { cookie: [...copy.cookies].map((pair) => pair.join('=')).join('; ') },
    });
    expect(stream.status).toBe(401);
  });

  test('a revoked cookie does not sign its user out again', async () => {
    const { browser } = await signedIn({ role: 'admin', name: 'Twice' });
    const copy = browser.copyAt(nodes[1]);
    await browser.auth.signOut.mutate();
    const again = await signedIn({ role: 'admin', name: 'Twice' });
    await copy.auth.signOut.mutate();
    expect((await again.browser.limit.list.query()).policies).not.toEqual([]);
  });

  test('an admin who became a shopper elsewhere, and one whose row is gone, are admins nowhere', async () => {
    const { browser } = await signedIn({ role: 'admin', name: 'Demoted' });
    await signedIn({ role: 'shopper', name: 'Demoted' });
    expect(await codeOf(browser.limit.list.query())).toBe('UNAUTHORIZED');
    const { browser: gone, user } = await signedIn({ role: 'admin' });
    await database.db.delete(users).where(eq(users.id, user.id));
    expect(await codeOf(gone.limit.list.query())).toBe('UNAUTHORIZED');
  });

  test('two nodes sign one admin out at once: the version increases once', async () => {
    const { browser, user } = await signedIn({ role: 'admin' });
    const copy = browser.copyAt(nodes[1]);
    await Promise.all([browser.auth.signOut.mutate(), copy.auth.signOut.mutate()]);
    expect(await database.db.select().from(users).where(eq(users.id, user.id))).toMatchObject([
      { sessionVersion: 1 },
    ]);
  });

  test('a shopper’s cookie is accepted without a query until it expires', async () => {
    const { browser, user } = await signedIn({ role: 'shopper' });
    const copy = browser.copyAt(nodes[1]);
    await browser.auth.signOut.mutate();
    expect(await copy.auth.me.query()).toEqual({ user });
    expect(await codeOf(copy.ops.audit.query({}))).toBe('FORBIDDEN');
  });

  test('a session that was never signed in here has no user', async () => {
    const { createCookieHeader } = createSessions({ secrets: [SECRET], secure: false });
    const cookie = createCookieHeader({ id: randomUUID(), name: 'Made up', role: 'admin' });
    const { limit } = browserAt(nodes[0], new Map([cookie.split('=') as [string, string]]));
    expect(await codeOf(limit.list.query())).toBe('UNAUTHORIZED');
  });
});
