import { randomBytes, randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTRPCUntypedClient, httpLink, TRPCClientError } from '@trpc/client';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../db/client';
import { coupons, users } from '../db/schema';
import { notFoundError } from '../errors';
import type { User } from '../trpc/context';
import { withinBudget } from '../trpc/deadline';

export interface CrowdOptions {
  db: Db;
  /** Returns the loopback address of this server, such as `http://127.0.0.1:3000`. It is known once the server listens. */
  baseUrl: () => string;
  /** Returns a `Cookie` header that signs the user in. */
  createCookieHeader: (user: User) => string;
  /** Calls count as unanswered this long after the last one was sent, in ms. Default: 10,000. */
  answerTimeoutMs?: number;
}

export interface CrowdRequest {
  couponId: string;
  /** From 1 to 300. */
  shoppers: number;
  /** The calls are spread evenly over this time; 0: all at once. At most 10,000. */
  overMs: number;
  /** Aborts when the client disconnects: no further calls are sent. */
  signal?: AbortSignal | undefined;
}

export interface CrowdResult {
  /** Calls that the limits admitted, with any outcome. */
  admitted: number;
  /** Calls that a limit refused. */
  refused: number;
  /** Number of calls by outcome. Failed calls count by their error code. */
  outcomes: Record<string, number>;
}

export type SendCrowd = (request: CrowdRequest) => Promise<CrowdResult>;

/** The outcome of calls without an answer in time. */
const UNANSWERED = 'UNANSWERED';

/** The result of one call; `undefined` if the client has disconnected. */
type CallResult = { as: 'admitted' | 'refused' | 'failed'; outcome: string } | undefined;

const answerSchema = z.object({ outcome: z.string() });

/**
 * Creates `sendCrowd`, which creates new shoppers, each with its own session, and calls the coupon's procedure over HTTP
 * like browsers, so that everything between a browser and the ledger is under load.
 */
export function createSendCrowd({
  db,
  baseUrl,
  createCookieHeader,
  answerTimeoutMs = 10_000,
}: CrowdOptions): SendCrowd {
  return async function sendCrowd({ couponId, shoppers, overMs, signal }) {
    const path = await withinBudget(findProcedure(db, couponId));
    const crowd = await withinBudget(createShoppers(db, shoppers));
    const url = `${baseUrl()}/api/trpc`;
    const deadline = AbortSignal.timeout(overMs + answerTimeoutMs);
    const ended = signal ? AbortSignal.any([signal, deadline]) : deadline;
    // One listener per shopper is intended.
    setMaxListeners(0, ended);

    const results = await Promise.all(
      crowd.map(async (user, index): Promise<CallResult> => {
        if (!(await isStillRunningAfter((index * overMs) / crowd.length, ended))) return undefined;
        const client = createTRPCUntypedClient({
          links: [httpLink({ url, headers: { cookie: createCookieHeader(user) } })],
        });
        const call = client.mutation(path, { couponId, requestId: randomUUID() }, { signal: ended });
        const result = await toCallResult(call);
        return signal?.aborted ? undefined : result;
      }),
    );
    return countResults(results);
  };
}

async function findProcedure(db: Db, couponId: string): Promise<string> {
  const [coupon] = await db.select({ kind: coupons.kind }).from(coupons).where(eq(coupons.id, couponId));
  if (!coupon) throw notFoundError('coupon', couponId);
  return coupon.kind === 'seckill' ? 'coupon.seckill' : 'coupon.claim';
}

async function createShoppers(db: Db, count: number): Promise<User[]> {
  const crowd = randomBytes(6).toString('hex');
  const shoppers = Array.from({ length: count }, (_, index) => ({
    id: randomUUID(),
    name: `Shopper ${index + 1} of crowd ${crowd}`,
    role: 'shopper' as const,
  }));
  await db.insert(users).values(shoppers.map((shopper) => ({ ...shopper, isDemo: true })));
  return shoppers;
}

/** Waits, and returns false if the crowd has ended meanwhile. */
async function isStillRunningAfter(ms: number, ended: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal: ended });
    return true;
  } catch (error) {
    if (ended.aborted) return false;
    throw error;
  }
}

async function toCallResult(call: Promise<unknown>): Promise<CallResult> {
  try {
    return { as: 'admitted', outcome: answerSchema.parse(await call).outcome };
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    const code = errorCodeIn(error.data);
    return { as: code === 'TOO_MANY_REQUESTS' ? 'refused' : 'failed', outcome: code };
  }
}

function errorCodeIn(data: unknown): string {
  const parsed = z.object({ code: z.string() }).safeParse(data);
  return parsed.data?.code ?? UNANSWERED;
}

function countResults(results: readonly CallResult[]): CrowdResult {
  const result: CrowdResult = { admitted: 0, refused: 0, outcomes: {} };
  for (const call of results) {
    if (!call) continue;
    if (call.as === 'refused') {
      result.refused += 1;
      continue;
    }
    if (call.as === 'admitted') result.admitted += 1;
    result.outcomes[call.outcome] = (result.outcomes[call.outcome] ?? 0) + 1;
  }
  return result;
}
