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

/** The product's own limit, and more shoppers than it could ever let in. */
export const fullSize: SaleSize = { shoppers: 2_000, stock: 150, limit: 100, windowMs: 10_000 };
/** For `npm test`: fewer shoppers, and a window that is shorter. */
export const shortSize: SaleSize = { shoppers: 300, stock: 60, limit: 40, windowMs: 3_000 };

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
  /** From the fault to the first confirmation of a call that was made after it, in ms. */
  sellingAgainMs: number | undefined;
  tookMs: number;
  invariants: Invariant[];
  /** What was shown that was not true, and whatever else went wrong. */
  problems: string[];
  notes: string[];
}

export interface RunOptions {
  ledger: LedgerKind;
  size: SaleSize;
  logDir: string;
  /** Aborted when the run has to end early. */
  signal: AbortSignal;
}

const IN_FLIGHT = 64;
/** From the end of the fault. Far more than it takes: a busy machine may be slow, and is not wrong for it. */
const SOLD_OUT_WITHIN_MS = 120_000;
const SETTLED_WITHIN_MS = 60_000;
const SHOWN_WITHIN_MS = 3_000;

/** Runs one drill in a topology of its own, from its start to its end. Nothing is left behind, however it goes. */
export async function runDrill(
  drill: Drill,
  { ledger, size, logDir, signal }: RunOptions,
): Promise<DrillResult> {
  const startedAt = performance.now();
  const saleSize = drill.size ?? size;
  const topology = await startTopology({ ...drill, ledger, logDir });
  try {
    signal.throwIfAborted();
    // A fault that is still being injected when the run has to end is left to itself: what it injects into is ended.
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
    sessions.sign({ id: userId, name: 'A shopper', role });
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
    shopperId: drill.shopperId ?? ((place) => `shopper-${place}`),
    cookieOf,
    inFlight: IN_FLIGHT,
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
    if (!(await scene.waitForConfirmed(Math.floor(size.stock / 3)))) problems.push('the sale did not begin');
    faultAt = Date.now();
    await drill.inject(scene);
    // No human step: what does not sell out by itself has failed.
    isSoldOut = await until(async () => (await sold()) >= size.stock, {
      withinMs: SOLD_OUT_WITHIN_MS,
      signal,
    });
    if (!isSoldOut) problems.push(`only ${await sold()} of ${size.stock} were sold in the end`);
    const allKnow = await until(() => record.awaited.size === 0, { withinMs: SETTLED_WITHIN_MS, signal });
    if (!allKnow) problems.push(`${record.awaited.size} shoppers never heard what became of their orders`);
    crowd.stop();
    await crowd.done;
    problems.push(...(await waitForFinalAnswers({ urls, couponId, signal })));
    // The live windows are a moment behind the calls that they show.
    await until(() => windowLog.size() >= record.charged.size, { withinMs: SHOWN_WITHIN_MS, signal });
  } finally {
    isSoldOut = true;
    crowd.stop();
    await Promise.all([crowd.done, monitor.stop(), windowLog.stop()]);
  }

  const atRest = await waitForSettledSale({ topology, couponId, signal });
  if (!atRest) problems.push('gate and ledger did not come to rest');
  const seen = [...record.confirmations.keys()];
  const worstWindow = windowLog.fullest(size.windowMs);
  const invariants: Invariant[] = [
    ...saleInvariants({ ...(atRest ?? EMPTY_SALE), seen }),
    {
      rule: 'admitted ≤ limit in every window',
      holds: worstWindow <= size.limit,
      evidence: `${worstWindow} of ${size.limit} in the fullest of all windows`,
    },
  ];
  problems.push(...monitor.mismatches);
  for (const [words, count] of record.unexpected) problems.push(`${count} shoppers were told ${words}`);
  // A hit that no node showed would be a window that nobody has judged.
  if (!windowLog.wasCut() && windowLog.size() < record.charged.size) {
    problems.push(`${record.charged.size} bought, and the live windows showed ${windowLog.size()}`);
  }
  notes.push(
    `${record.charged.size} bought, ${record.refused} refused, ${record.paused} paused, ${record.unavailable} unanswered; ` +
      `${monitor.rounds()} looks`,
  );
  return {
    name: drill.name,
    description: drill.description,
    shoppers: size.shoppers,
    calls: record.calls,
    confirmed: atRest?.confirmed.length ?? 0,
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

/** Of the first call that was sent after the fault and that bought what was confirmed in the end. */
function sellingAgainMs({ record }: Crowd, struckAt: number | undefined): number | undefined {
  if (struckAt === undefined) return undefined;
  const heard = [...record.confirmations]
    .filter(([id]) => (record.boughtBy.get(id) ?? 0) > struckAt)
    .map(([, { heardAt }]) => heardAt - struckAt);
  return heard.length > 0 ? Math.min(...heard) : undefined;
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
  let atRest: Omit<SettledSale, 'seen'> | undefined;
  try {
    await until(
      async () => {
        atRest = await readSettledSale({ db: topology.database.db, redis, couponId });
        return atRest !== undefined;
      },
      { withinMs: SETTLED_WITHIN_MS, signal },
    );
    return atRest;
  } finally {
    redis.disconnect();
  }
}

/** In the end every node is ready, with nothing to complain of, and its page says what the ledger does. */
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
  const looks = urls.map(async (url) => {
    const { calls } = createNodeClient(url);
    const isAsItIs = async () => {
      const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
      const readiness: { dependencies: Record<string, { ok: boolean }> } = await answer.json();
      const { coupon } = await calls.coupon.byId.query({ id: couponId });
      findings.set(
        url,
        `${JSON.stringify(readiness)} and ${coupon.state} with ${coupon.stock?.remaining} left`,
      );
      const isWell = answer.ok && Object.values(readiness.dependencies).every(({ ok }) => ok);
      return isWell && coupon.state === 'sold-out' && coupon.stock?.remaining === 0;
    };
    return until(() => isAsItIs().catch(() => false), { withinMs: SETTLED_WITHIN_MS, signal });
  });
  const outcomes = await Promise.all(looks);
  return urls
    .filter((_url, place) => !outcomes[place])
    .map((url) => `${url} tells in the end: ${findings.get(url)}`);
}
