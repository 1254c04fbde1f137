import { eq } from 'drizzle-orm';
import { coupons, users } from '../server/db/schema';
import { isUnavailable } from '../server/db/unavailable';
import { createSessions } from '../server/http/session';
import { insertCoupon } from '../test/coupons';
import { connectTestRedis } from '../test/redis';
import { type Invariant, type SettledSale, saleInvariants } from '../test/sale-invariants';
import { BUILT_SERVER_SECRET } from '../test/services/built-server';
import { readSettledSale } from '../test/settled-sale';
import { startConsistencyMonitor } from './consistency-monitor';
import type { Drill, SaleSize, Scene } from './drill';
import { createNodeClient } from './node-clients';
import { raisedReadLimit, saleLimit, setLimits } from './set-limits';
import { type Crowd, startCrowd } from './shoppers';
import { type LedgerKind, startTopology, type Topology } from './topology';
import { until } from './until';
import { untilOpen } from './until-open';
import { startWindowLog } from './window-log';

/** The declared limit, and far more shoppers than stock. */
export const fullSize: SaleSize = { shoppers: 2_000, stock: 150, limit: 100, windowMs: 10_000 };
/** For `npm test`: fewer shoppers and a shorter window. */
export const shortSize: SaleSize = { shoppers: 200, stock: 45, limit: 30, windowMs: 3_000 };

export interface DrillResult {
  name: string;
  description: string;
  ledger: LedgerKind;
  shoppers: number;
  calls: number;
  confirmed: number;
  stock: number;
  worstWindow: number;
  limit: number;
  /** The time from the fault to the first confirmation of a call that was sent after it. */
  sellingAgainMs: number | undefined;
  tookMs: number;
  invariants: Invariant[];
  /** Inconsistent answers and other failures. */
  problems: string[];
  notes: string[];
}

export interface RunOptions {
  ledger: LedgerKind;
  size: SaleSize;
  logDir: string;
  /** Aborts the run. */
  signal: AbortSignal;
}

const MAX_IN_FLIGHT = 64;
/** Counts from the end of the fault. Far longer than needed, so that a busy machine does not fail the drill. */
const SOLD_OUT_WITHIN_MS = 120_000;
const SETTLED_WITHIN_MS = 60_000;
const SHOWN_WITHIN_MS = 3_000;

/** Starts a topology, runs one drill in it, and stops the topology, also after a failure. */
export async function runDrill(
  drill: Drill,
  { ledger, size, logDir, signal }: RunOptions,
): Promise<DrillResult> {
  const startedAt = performance.now();
  const saleSize = drill.sizeOn?.(ledger) ?? size;
  const topology = await startTopology({ ...drill, ledger, logDir });
  try {
    signal.throwIfAborted();
    // After an abort, a fault that is still being injected is not awaited: `topology.stop` ends its processes.
    const result = await Promise.race([
      runSale({ drill, size: saleSize, topology, signal }),
      rejectOnAbort(signal),
    ]);
    return { ...result, ledger, tookMs: performance.now() - startedAt };
  } finally {
    await topology.stop();
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function runSale({
  drill,
  size,
  topology,
  signal,
}: {
  drill: Drill;
  size: SaleSize;
  topology: Topology;
  signal: AbortSignal;
}): Promise<Omit<DrillResult, 'ledger' | 'tookMs'>> {
  const { db } = topology.database;
  const sessions = createSessions({ secrets: [BUILT_SERVER_SECRET], secure: false });
  const cookieOf = (userId: string, role: 'shopper' | 'admin' = 'shopper') =>
    sessions.createCookieHeader({ id: userId, name: 'A shopper', role });
  const urls = topology.nodes.map(({ url }) => url);
  const admin = createNodeClient(urls[0] ?? '').batched(cookieOf('the-operator', 'admin'));
  await db
    .insert(users)
    .values({ id: 'the-operator', name: 'A shopper', role: 'admin' })
    .onConflictDoNothing();
  const couponId = await insertCoupon(db, { stock: size.stock });
  const limits = drill.keepsReadLimit ? [saleLimit(size)] : [saleLimit(size), raisedReadLimit];
  await setLimits(urls, limits, { cookie: cookieOf('the-operator', 'admin'), signal });
  await untilOpen(urls, couponId, signal);

  const problems: string[] = [];
  const notes: string[] = [];
  const windowLog = startWindowLog(urls);
  let isSoldOut = false;
  const crowd: Crowd = startCrowd({
    urls: topology.nginx ? [topology.nginx.url] : urls,
    couponId,
    size: size.shoppers,
    shopperId: drill.shopperId ?? ((index) => `shopper-${index}`),
    cookieOf,
    maxInFlight: MAX_IN_FLIGHT,
    isOver: () => isSoldOut,
  });
  const { record } = crowd;
  const monitor = startConsistencyMonitor({ urls, couponId, total: size.stock, record, cookieOf });
  let faultAt: number | undefined;
  const scene: Scene = {
    topology,
    couponId,
    cookieOf,
    admin,
    waitForConfirmed: (count) =>
      until(() => record.confirmations.size >= count || isSoldOut, { withinMs: SOLD_OUT_WITHIN_MS, signal }),
    duringOutage: monitor.duringOutage,
    markDataLoss: windowLog.cut,
    markFault: () => {
      faultAt = Date.now();
    },
    note: (text) => void notes.push(text),
    reportProblem: (text) => void problems.push(text),
  };
  const sold = async () => (await readRow(topology, couponId))?.sold ?? 0;

  try {
    if (!(await scene.waitForConfirmed(Math.floor(size.stock / 3)))) problems.push('the sale did not start');
    faultAt = Date.now();
    await drill.inject(scene);
    // The sale must sell out without an operator.
    isSoldOut = await until(async () => (await sold()) >= size.stock, {
      withinMs: SOLD_OUT_WITHIN_MS,
      signal,
    });
    if (!isSoldOut) problems.push(`only ${await sold()} of ${size.stock} were sold in the end`);
    const areAllInformed = await until(() => record.awaited.size === 0, {
      withinMs: SETTLED_WITHIN_MS,
      signal,
    });
    if (!areAllInformed)
      problems.push(`${record.awaited.size} shoppers never learned the outcome of their orders`);
    crowd.stop();
    await crowd.done;
    problems.push(...(await waitForFinalAnswers({ urls, couponId, signal })));
    // The live windows lag slightly behind the calls.
    await until(() => windowLog.size() >= record.charged.size, { withinMs: SHOWN_WITHIN_MS, signal });
  } finally {
    isSoldOut = true;
    crowd.stop();
    await Promise.all([crowd.done, monitor.stop(), windowLog.stop()]);
  }

  const settled = await waitForSettledSale({ topology, couponId, signal });
  if (!settled) problems.push('gate and ledger did not settle');
  const seen = [...record.confirmations.keys()];
  const worstWindow = windowLog.fullest(size.windowMs);
  const invariants: Invariant[] = [
    ...saleInvariants({ ...(settled ?? EMPTY_SALE), seen }),
    {
      rule: 'admitted ≤ limit in every window',
      holds: worstWindow <= size.limit,
      evidence: `${worstWindow} of ${size.limit} in the fullest of all windows`,
    },
  ];
  problems.push(...monitor.mismatches);
  for (const [message, count] of record.unexpected) problems.push(`${count} shoppers received ${message}`);
  // A hit that no node showed is missing from the window check.
  if (!windowLog.wasCut() && windowLog.size() < record.charged.size) {
    problems.push(`${record.charged.size} bought, but the live windows showed ${windowLog.size()}`);
  }
  notes.push(
    `${record.charged.size} bought, ${record.refused} refused, ${record.paused} paused, ${record.unavailable} unanswered; ` +
      `${monitor.rounds()} checks`,
  );
  return {
    name: drill.name,
    description: drill.description,
    shoppers: size.shoppers,
    calls: record.calls,
    confirmed: settled?.confirmed.length ?? 0,
    stock: size.stock,
    worstWindow,
    limit: size.limit,
    sellingAgainMs: sellingAgainMs(crowd, faultAt),
    invariants,
    problems,
    notes,
  };
}

const EMPTY_SALE: Omit<SettledSale, 'seen'> = {
  total: 0,
  sold: 0,
  remaining: -1,
  reserved: 0,
  confirmed: [],
};

/** Returns the time from the fault to the first confirmation of a call that was sent after it. */
function sellingAgainMs({ record }: Crowd, struckAt: number | undefined): number | undefined {
  if (struckAt === undefined) return undefined;
  const confirmedAfterMs = [...record.confirmations]
    .filter(([id]) => (record.boughtBy.get(id) ?? 0) > struckAt)
    .map(([, { seenAt }]) => seenAt - struckAt);
  return confirmedAfterMs.length > 0 ? Math.min(...confirmedAfterMs) : undefined;
}

async function readRow({ database }: Topology, couponId: string) {
  try {
    const [row] = await database.db.select().from(coupons).where(eq(coupons.id, couponId));
    return row;
  } catch (error) {
    if (isUnavailable(error)) return undefined;
    throw error;
  }
}

async function waitForSettledSale({
  topology,
  couponId,
  signal,
}: {
  topology: Topology;
  couponId: string;
  signal: AbortSignal;
}): Promise<Omit<SettledSale, 'seen'> | undefined> {
  const redis = await connectTestRedis(topology.store.url);
  let settled: Omit<SettledSale, 'seen'> | undefined;
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
async function waitForFinalAnswers({
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
    return until(() => isConsistent().catch(() => false), { withinMs: SETTLED_WITHIN_MS, signal });
  });
  const outcomes = await Promise.all(checks);
  return urls
    .filter((_url, index) => !outcomes[index])
    .map((url) => `the last answer of ${url} was ${findings.get(url)}`);
}
