import { eq } from 'drizzle-orm';
import { coupons } from '../server/db/schema';
import { isUnavailable } from '../server/db/unavailable';
import { connectTestRedis } from '../test/redis';
import type { SettledSale } from '../test/sale-invariants';
import { readSettledSale } from '../test/settled-sale';
import { until } from '../test/until';
import { createNodeClient } from './node-clients';
import type { Topology } from './topology';

const SETTLED_WITHIN_MS = 60_000;

/** Reads the number of sold units; 0 while Postgres is unavailable. */
export async function readSold({ database }: Topology, couponId: string): Promise<number> {
  try {
    const [row] = await database.db.select().from(coupons).where(eq(coupons.id, couponId));
    return row?.sold ?? 0;
  } catch (error) {
    if (isUnavailable(error)) return 0;
    throw error;
  }
}

/** Waits until gate and ledger agree, with no order between them. Returns `undefined` if they do not. */
export async function waitForSettledSale({
  topology,
  couponId,
  signal,
}: {
  topology: Topology;
  couponId: string;
  signal: AbortSignal;
}): Promise<SettledSale | undefined> {
  const redis = await connectTestRedis(topology.store.url);
  let settled: SettledSale | undefined;
  try {
    await until(
      async () => {
        settled = await readSettledSale({ db: topology.database.db, redis, couponId });
        return settled !== undefined;
      },
      { withinMs: SETTLED_WITHIN_MS, signal },
    );
    return settled;
  } finally {
    redis.disconnect();
  }
}

/** Waits until each node is ready, all its dependencies are ok, and its page agrees with the ledger. Returns problems. */
export async function waitForFinalAnswers({
  urls,
  couponId,
  signal,
}: {
  urls: readonly string[];
  couponId: string;
  signal: AbortSignal;
}): Promise<string[]> {
  const findings = new Map<string, string>();
  const checks = urls.map(async (url) => {
    const { calls } = createNodeClient(url);
    const isConsistent = async () => {
      const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
      const readiness: { dependencies: Record<string, { ok: boolean }> } = await answer.json();
      const { coupon } = await calls.coupon.byId.query({ id: couponId });
      findings.set(
        url,
        `${JSON.stringify(readiness)} and ${coupon.state} with ${coupon.stock?.remaining} left`,
      );
      const isReady = answer.ok && Object.values(readiness.dependencies).every(({ ok }) => ok);
      return isReady && coupon.state === 'sold-out' && coupon.stock?.remaining === 0;
    };
    const recordError = (error: unknown) => {
      findings.set(url, String(error));
      return false;
    };
    return until(() => isConsistent().catch(recordError), { withinMs: SETTLED_WITHIN_MS, signal });
  });
  const outcomes = await Promise.all(checks);
  return urls
    .filter((_url, index) => !outcomes[index])
    .map((url) => `the last answer of ${url} was ${findings.get(url)}`);
}
