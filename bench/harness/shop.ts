import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { startNativeRedis } from '../../scripts/lib/services/start-services.mjs';
import { StepError } from '../../scripts/lib/steps.mjs';
import { users } from '../../server/db/schema';
import { createSessions } from '../../server/http/session';
import { saleKeys } from '../../server/redis/keys';
import type { User } from '../../server/trpc/context';
import { bigShopper, loadShop, type ShopSize } from '../../test/big-shop';
import { freshDatabase } from '../../test/database';
import { BUILT_SERVER_SECRET, startBuiltServer } from '../../test/services/built-server';
import { eventually } from '../../test/until';
import { connect } from '../contenders/contender';
import { type Lab, readCpuUs } from './lab';

export type Caller = 'anyone' | 'shopper' | 'admin';

/** A node of the built product with its own Redis and database. */
export interface Shop {
  /** Number of live coupons. */
  live: number;
  /** Reads a page or a procedure. Each call comes from another address, so that no limit refuses one. Throws unless it is answered with 200. */
  get(path: string, caller: Caller): Promise<{ ms: number; bytes: number }>;
  /** Reads a page or a procedure, and ignores the status of the answer. */
  warm(path: string, caller: Caller): Promise<void>;
  /** Buys a coupon as a new shopper, and returns the outcome. */
  buy(couponId: string): Promise<string>;
  /** Collects the bytes of the events of `/api/live` with these coupons until it is closed. */
  openLive(couponIds: readonly string[]): Promise<{ events: number[]; close(): void }>;
  /** Returns the CPU time of the node and of its Redis so far, in µs. */
  cpuUs(): Promise<{ node: number; redis: number }>;
  /** Deletes everything in Redis, and returns the time until every live coupon has a gate and one is sold again, in ms. */
  emptyRedis(): Promise<number>;
}

/** A coupon of each loaded shop that is a live seckill. */
export const LIVE_SECKILL = 'live-1';

const admin: User = { id: 'ada', name: 'Ada', role: 'admin' };
const REBUILD_WITHIN_MS = 60_000;

/**
 * Starts a shop of this size on a Postgres server, and stops it at the end of the figure. It is long because the functions
 * of a shop share its connections.
 */
export async function startShop(
  lab: Lab,
  { postgresUrl, size }: { postgresUrl: string; size: ShopSize & { live: number } },
): Promise<Shop> {
  const database = await freshDatabase(postgresUrl);
  lab.onEnd(database.drop);
  await loadShop(database.url, size);
  await database.db.insert(users).values(admin);
  const redis = await startNativeRedis({
    dir: path.join(lab.folder, `redis-of-${size.live}`),
    appendonly: false,
  });
  lab.onEnd(redis.stop);
  const server = await startBuiltServer({
    REDIS_URL: redis.url,
    DATABASE_URL: database.url,
    TRUSTED_PROXIES: '127.0.0.1',
  });
  lab.onEnd(server.stop);
  const { client, stop } = await connect(redis.url);
  lab.onEnd(stop);
  const agent = new Agent({ keepAlive: true });
  lab.onEnd(async () => agent.destroy());

  const sessions = createSessions({ secrets: [BUILT_SERVER_SECRET], secure: false });
  const cookieOf = (id: string) => sessions.createCookieHeader({ id, name: id, role: 'shopper' });
  const cookies: Record<Caller, string> = {
    anyone: '',
    shopper: cookieOf(bigShopper),
    admin: sessions.createCookieHeader(admin),
  };
  let calls = 0;

  /** Sends a request from a new address, and returns the answer without reading its body. */
  async function sendAny(target: string, { cookie, body }: { cookie: string; body?: string }) {
    calls += 1;
    const address = [10, calls >> 16, calls >> 8, calls].map((part) => part & 255).join('.');
    const req = request(new URL(target, server.url), {
      agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'x-forwarded-for': address,
        ...(cookie !== '' && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
    });
    req.end(body);
    const [res]: IncomingMessage[] = await once(req, 'response');
    if (!res) throw new StepError(`The shop did not answer to ${target}.`);
    return res;
  }

  async function send(...call: Parameters<typeof sendAny>): Promise<IncomingMessage> {
    const res = await sendAny(...call);
    if (res.statusCode === 200) return res;
    res.resume();
    throw new StepError(`The shop answered ${res.statusCode} to ${call[0]}.`);
  }

  async function isRebuilt(): Promise<boolean> {
    const gates = Array.from({ length: size.live }, (_, index) => saleKeys(`live-${index + 1}`).gate);
    return (await client.exists(...gates)) === size.live;
  }

  async function buy(couponId: string): Promise<string> {
    const cookie = cookieOf(`buyer-${calls}`);
    const res = await send('/api/trpc/coupon.seckill', { cookie, body: JSON.stringify({ couponId }) });
    const { result } = JSON.parse(Buffer.concat(await res.toArray()).toString());
    return String(result.data.outcome);
  }

  async function canSell(): Promise<boolean> {
    try {
      return (await buy(LIVE_SECKILL)) === 'accepted';
    } catch (error) {
      if (error instanceof StepError) return false;
      throw error;
    }
  }

  return {
    live: size.live,
    buy,

    async get(target, caller) {
      const startedAt = performance.now();
      const res = await send(target, { cookie: cookies[caller] });
      let bytes = 0;
      for await (const chunk of res) bytes += chunk.length;
      return { ms: performance.now() - startedAt, bytes };
    },

    async warm(target, caller) {
      const res = await sendAny(target, { cookie: cookies[caller] });
      await once(res.resume(), 'end');
    },

    async openLive(couponIds) {
      const res = await send(`/api/live?coupons=${couponIds.join()}`, { cookie: '' });
      const events: number[] = [];
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => {
        const parts = (text + chunk).split('\n\n');
        text = parts.pop() ?? '';
        events.push(...parts.filter((part) => part.includes('data:')).map((part) => Buffer.byteLength(part)));
      });
      await eventually(() => events.length > 0, 'the first event came');
      return { events, close: () => res.destroy() };
    },

    async cpuUs() {
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      const seconds = Number(metrics.match(/^process_cpu_seconds_total (\S+)/m)?.[1]);
      return { node: seconds * 1e6, redis: await readCpuUs(client) };
    },

    async emptyRedis() {
      const startedAt = performance.now();
      await client.flushall('SYNC');
      await eventually(isRebuilt, 'every gate was rebuilt', { withinMs: REBUILD_WITHIN_MS });
      await eventually(canSell, 'a coupon was sold');
      return performance.now() - startedAt;
    },
  };
}
