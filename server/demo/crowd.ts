import { randomBytes, randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTRPCUntypedClient, httpLink, TRPCClientError } from '@trpc/client';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../db/client';
import { coupons, users } from '../db/schema';
import { AppError } from '../errors';
import { inTime } from '../trpc/in-time';
import type { User } from '../trpc/user';

export interface CrowdOptions {
  db: Db;
  /** Where this server answers over loopback, such as `http://127.0.0.1:3000`; known once it listens. */
  baseUrl: () => string;
  /** The value of a `Cookie` header that signs the user in. */
  signIn: (user: User) => string;
  /** How long the last calls may take before they count as unanswered, in ms. Default: 10 000. */
  patienceMs?: number;
}

export interface CrowdOrder {
  couponId: string;
  /** From 1 to 300. */
  shoppers: number;
  /** The calls are spread evenly over this time; 0: all at once. At most 10 000. */
  overMs: number;
  /** Aborted when the caller goes away: nobody calls any more. */
  signal?: AbortSignal | undefined;
}

export interface CrowdResult {
  /** Calls that the limits let through, whatever came of them. */
  admitted: number;
  /** Calls that a limit refused. */
  refused: number;
  /** How many calls had each outcome; calls that failed are counted by their error code. */
  outcomes: Record<string, number>;
}

export type Crowd = (order: CrowdOrder) => Promise<CrowdResult>;

/** Counted for calls that met no server, or none that answered in time. */
const UNANSWERED = 'UNANSWERED';

/** What became of one call. `undefined`: nobody waits to hear of it, because the caller went away. */
type Fate = { as: 'admitted' | 'refused' | 'failed'; outcome: string } | undefined;

const answerSchema = z.object({ outcome: z.string() });

/**
 * Makes a crowd: fresh shoppers, each with a session of its own, who call the coupon's procedure over HTTP as browsers
 * do, so that everything between a browser and the ledger is under load.
 */
export function createCrowd({ db, baseUrl, signIn, patienceMs = 10_000 }: CrowdOptions): Crowd {
  return async function sendCrowd({ couponId, shoppers, overMs, signal }) {
    const path = await inTime(procedureFor(db, couponId));
    const crowd = await inTime(makeShoppers(db, shoppers));
    const url = `${baseUrl()}/api/trpc`;
    const deadline = AbortSignal.timeout(overMs + patienceMs);
    const over = signal ? AbortSignal.any([signal, deadline]) : deadline;
    // One listener per shopper is meant, and no leak.
    setMaxListeners(0, over);

    const fates = await Promise.all(
      crowd.map(async (user, place): Promise<Fate> => {
        if (!(await waited((place * overMs) / crowd.length, over))) return undefined;
        const client = createTRPCUntypedClient({
          links: [httpLink({ url, headers: { cookie: signIn(user) } })],
        });
        const call = client.mutation(path, { couponId, requestId: randomUUID() }, { signal: over });
        const fate = await fateOf(call);
        return signal?.aborted ? undefined : fate;
      }),
    );
    return tally(fates);
  };
}

async function procedureFor(db: Db, couponId: string): Promise<string> {
  const [coupon] = await db.select({ kind: coupons.kind }).from(coupons).where(eq(coupons.id, couponId));
  if (!coupon) throw new AppError('NOT_FOUND', `There is no coupon ${JSON.stringify(couponId)}.`);
  return coupon.kind === 'seckill' ? 'coupon.seckill' : 'coupon.claim';
}

async function makeShoppers(db: Db, count: number): Promise<User[]> {
  const crowd = randomBytes(6).toString('hex');
  const shoppers = Array.from({ length: count }, (_, place) => ({
    id: randomUUID(),
    name: `Shopper ${place + 1} of crowd ${crowd}`,
    role: 'shopper' as const,
  }));
  await db.insert(users).values(shoppers.map((shopper) => ({ ...shopper, isDemo: true })));
  return shoppers;
}

/** Whether the time passed before the crowd was over. */
async function waited(ms: number, over: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal: over });
    return true;
  } catch (error) {
    if (over.aborted) return false;
    throw error;
  }
}

async function fateOf(call: Promise<unknown>): Promise<Fate> {
  try {
    return { as: 'admitted', outcome: answerSchema.parse(await call).outcome };
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    const code = codeOf(error.data);
    return { as: code === 'TOO_MANY_REQUESTS' ? 'refused' : 'failed', outcome: code };
  }
}

function codeOf(data: unknown): string {
  const parsed = z.object({ code: z.string() }).safeParse(data);
  return parsed.data?.code ?? UNANSWERED;
}

function tally(fates: readonly Fate[]): CrowdResult {
  const result: CrowdResult = { admitted: 0, refused: 0, outcomes: {} };
  for (const fate of fates) {
    if (!fate) continue;
    if (fate.as === 'refused') {
      result.refused += 1;
      continue;
    }
    if (fate.as === 'admitted') result.admitted += 1;
    result.outcomes[fate.outcome] = (result.outcomes[fate.outcome] ?? 0) + 1;
  }
  return result;
}
