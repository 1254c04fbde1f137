import { describe, expect, onTestFinished, test } from 'vitest';
import { startHttpServer } from '../../test/http-server';
import { startTestListener } from '../../test/listener';
import { waitUntil } from '../../test/wait-until';
import type { ViewerOptions } from '../live/event-hub';
import type { SessionState, User } from '../trpc/context';
import { createAdminLiveRoute } from './live-route';
import { createSessions } from './session';

describe('the cap on streams', () => {
  /** Opens a stream as a visitor behind a proxy. */
  async function openStream(port: number, address: string) {
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    const answer = await fetch(`http://127.0.0.1:${port}/api/live`, {
      headers: { 'x-forwarded-for': address },
      signal: abort.signal,
    });
    return {
      status: answer.status,
      retryAfter: answer.headers.get('retry-after'),
      close: () => abort.abort(),
    };
  }
  const capped = () =>
    startTestListener({ env: { TRUSTED_PROXIES: ['127.0.0.1'], LIVE_STREAMS_PER_ADDRESS: 2 } });

  test('live streams of one address above the cap are answered 429 with Retry-After; other addresses are not', async () => {
    const { port, lines } = await capped();
    const statuses: number[] = [];
    for (let index = 0; index < 2; index += 1) statuses.push((await openStream(port, '203.0.113.9')).status);
    expect(statuses).toEqual([200, 200]);
    expect(await openStream(port, '203.0.113.9')).toMatchObject({ status: 429, retryAfter: '10' });
    expect(await openStream(port, '203.0.113.10')).toMatchObject({ status: 200 });
    expect(lines.filter((line) => line.includes('"policy":"api.live"'))).toHaveLength(1);
    expect(lines.join()).not.toContain('203.0.113');
  });

  test('an IPv6 network of 64 bits is one address', async () => {
    const { port } = await capped();
    for (const end of ['1', '2']) await openStream(port, `2001:db8:1:2::${end}`);
    expect((await openStream(port, '2001:db8:1:2::3')).status).toBe(429);
    expect((await openStream(port, '2001:db8:1:3::1')).status).toBe(200);
  });

  test('a stream that ends frees its slot', async () => {
    const { port } = await capped();
    const first = await openStream(port, '203.0.113.9');
    await openStream(port, '203.0.113.9');
    expect((await openStream(port, '203.0.113.9')).status).toBe(429);
    first.close();
    await waitUntil(async () => (await openStream(port, '203.0.113.9')).status === 200);
  });
});

test('a stream with more than 50 coupons is answered 400, and one with 50 is opened', async () => {
  const { port } = await startTestListener({});
  async function open(coupons: number) {
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    const ids = Array.from({ length: coupons }, (_, n) => `c${n}`);
    return fetch(`http://127.0.0.1:${port}/api/live?coupons=${ids.join()}`, { signal: abort.signal });
  }
  expect((await open(50)).status).toBe(200);
  const refused = await open(51);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toBe('coupons: has 51 ids. Name at most 50.');
});

describe('the stream of admins', () => {
  const HOUR_MS = 60 * 60 * 1_000;
  const admin: User = { id: 'the-admin', name: 'Ada', role: 'admin' };

  /** A stream for admins that ends immediately, after two checks of its viewer. */
  async function streaming({ states = [] as SessionState[], laterMs = 0 } = {}) {
    let now = 1_700_000_000_000;
    const sessions = createSessions({ secrets: ['a secret'], secure: false, now: () => now });
    const answers: (boolean | undefined)[] = [];
    const checkSession = async () => states.shift() ?? 'current';
    const hub = {
      async add(viewer: { end(): unknown }, { isAllowed }: ViewerOptions = {}) {
        answers.push(await isAllowed?.());
        now += laterMs;
        answers.push(await isAllowed?.());
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
});
