import { users } from '../server/db/schema';
import { createSessions } from '../server/http/session';
import { insertCoupon } from '../test/coupons';
import { type Invariant, type SettledSale, saleInvariants } from '../test/sale-invariants';
import { BUILT_SERVER_SECRET } from '../test/services/built-server';
import { until } from '../test/until';
import { startConsistencyMonitor } from './consistency-monitor';
import type { Drill, SaleSize, Scene } from './drill';
import { readSold, waitForFinalAnswers, waitForSettledSale } from './final-state';
import { rejectOnAbort } from './ignore-abort';
import { judgeQueue, listOverfull } from './judge-queue';
import { createLimitPeriods, type LimitPeriods, type Period } from './limit-periods';
import { createNodeClient } from './node-clients';
import { readEvidence } from './read-evidence';
import { raisedReadLimit, saleLimit, setLimits } from './set-limits';
import { type Crowd, startCrowd } from './shoppers';
import { type LedgerKind, startTopology, type Topology } from './topology';
import { untilOpen } from './until-open';
import { startWindowLog } from './window-log';

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

const OPERATOR = 'the-operator';
/** Counts from the end of the fault. Far longer than needed, so that a busy machine does not fail the drill. */
const SOLD_OUT_WITHIN_MS = 120_000;
const INFORMED_WITHIN_MS = 60_000;
const SHOWN_WITHIN_MS = 3_000;
/** Turns are in time again this long after a fault. */
const RECOVERED_WITHIN_MS = 2_000;

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

interface SaleRun {
  drill: Drill;
  size: SaleSize;
  topology: Topology;
  signal: AbortSignal;
}

/** The coupon on sale, and the means to call for its shoppers. */
interface OpenSale {
  urls: string[];
  couponId: string;
  cookieOf: Scene['cookieOf'];
}

/** The observations while the crowd bought and the fault happened. */
interface Observed {
  crowd: Crowd;
  monitor: ReturnType<typeof startConsistencyMonitor>;
  windowLog: ReturnType<typeof startWindowLog>;
  faultAt: number | undefined;
  limits: LimitPeriods;
  /** Periods in which the fault may delay turns. */
  delays: Period[];
  problems: string[];
  notes: string[];
}

async function runSale(run: SaleRun): Promise<Omit<DrillResult, 'ledger' | 'tookMs'>> {
  const sale = await openSale(run);
  const observed = await sellDuringFault(run, sale);
  const { drill, topology, signal } = run;
  const settled = await waitForSettledSale({ topology, couponId: sale.couponId, signal });
  if (drill.queue) await judgeTurns(run, sale, observed);
  return toResult(run, observed, settled);
}

/** Adds the broken guarantees of the queue to the problems. */
async function judgeTurns(
  { drill, size, topology }: SaleRun,
  { couponId }: OpenSale,
  { crowd, windowLog, delays, limits, problems, notes }: Observed,
): Promise<void> {
  const { tickets } = crowd.record;
  const { summary, ...judged } = judgeQueue({
    ...(await readEvidence(topology, couponId)),
    ...{ tickets: tickets.list(), unexplained: tickets.unexplained(), hits: windowLog.hits(), window: size },
    // A call without an answer shows that a node or a store was down or overloaded.
    delays: [...delays, ...limits.changes(), ...crowd.record.outages],
    ...{ cutAt: windowLog.cutAt(), losesTickets: drill.queue?.losesTickets ?? false },
    maxFreeMs: drill.queue?.maxFreeMs,
  });
  problems.push(...judged.problems);
  notes.push(summary);
}

/** Creates the coupon and sets the limits, then waits until every node sells. */
async function openSale({ drill, size, topology, signal }: SaleRun): Promise<OpenSale> {
  const { db } = topology.database;
  const sessions = createSessions({ secrets: [BUILT_SERVER_SECRET], secure: false });
  const cookieOf: Scene['cookieOf'] = (userId, role = 'shopper') =>
    sessions.createCookieHeader({ id: userId, name: 'A shopper', role });
  const urls = topology.nodes.map(({ url }) => url);
  await db.insert(users).values({ id: OPERATOR, name: 'A shopper', role: 'admin' }).onConflictDoNothing();
  const couponId = await insertCoupon(db, { stock: size.stock });
  const limits = drill.keepsReadLimit ? [saleLimit(size)] : [saleLimit(size), raisedReadLimit];
  await setLimits(urls, limits, { cookie: cookieOf(OPERATOR, 'admin'), signal });
  await untilOpen(urls, couponId, signal);
  return { urls, couponId, cookieOf };
}

/**
 * Lets the crowd buy, injects the fault after a third of the stock, and waits until all is sold and answered.
 */
async function sellDuringFault(
  { drill, size, topology, signal }: SaleRun,
  { urls, couponId, cookieOf }: OpenSale,
): Promise<Observed> {
  const problems: string[] = [];
  const notes: string[] = [];
  const windowLog = startWindowLog(urls);
  let isSoldOut = false;
  const crowd = startCrowd({
    urls: topology.nginx ? [topology.nginx.url] : urls,
    couponId,
    size: size.shoppers,
    joinsQueue: drill.queue?.joins ?? (() => false),
    shopperId: drill.shopperId ?? ((index) => `shopper-${index}`),
    cookieOf,
    isOver: () => isSoldOut,
  });
  const { record } = crowd;
  const monitor = startConsistencyMonitor({ urls, couponId, total: size.stock, record, cookieOf });
  let faultAt: number | undefined;
  const limits = createLimitPeriods(size.limit);
  const delays: Period[] = [];
  const operator = cookieOf(OPERATOR, 'admin');
  const scene: Scene = {
    topology,
    couponId,
    cookieOf,
    admin: createNodeClient(urls[0] ?? '').batched(operator),
    waitForConfirmed: (count) =>
      until(() => record.confirmations.size >= count || isSoldOut, { withinMs: SOLD_OUT_WITHIN_MS, signal }),
    waitForWaiting: (count) =>
      until(() => record.waiting.size >= count || isSoldOut, { withinMs: SOLD_OUT_WITHIN_MS, signal }),
    listWaiting: () => record.tickets.list().filter(({ state }) => state === 'waiting'),
    changeLimit: (limit) =>
      limits.change(limit, () =>
        setLimits(urls, [saleLimit({ ...size, limit })], { cookie: operator, signal }),
      ),
    markDelay: (forMs) => void delays.push({ from: Date.now(), until: Date.now() + forMs }),
    duringOutage: monitor.duringOutage,
    markDataLoss: windowLog.cut,
    markFault: () => {
      faultAt = Date.now();
    },
    note: (text) => void notes.push(text),
    reportProblem: (text) => void problems.push(text),
  };
  const sold = () => readSold(topology, couponId);

  try {
    if (!(await scene.waitForConfirmed(Math.floor(size.stock / 3)))) problems.push('the sale did not start');
    faultAt = Date.now();
    await drill.inject(scene);
    if (delays.length === 0) delays.push({ from: faultAt, until: Date.now() + RECOVERED_WITHIN_MS });
    // The sale must sell out without an operator.
    isSoldOut = await until(async () => (await sold()) >= size.stock, {
      withinMs: SOLD_OUT_WITHIN_MS,
      signal,
    });
    if (!isSoldOut) problems.push(`only ${await sold()} of ${size.stock} were sold in the end`);
    if (!(await until(crowd.isSettled, { withinMs: INFORMED_WITHIN_MS, signal }))) {
      const { awaited, waiting } = record;
      problems.push(`${awaited.size} orders and ${waiting.size} tickets had no outcome in the end`);
    }
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
  return { crowd, monitor, windowLog, faultAt, limits, delays, problems, notes };
}

/** Judges the sale by its rows and by what was seen. */
function toResult(
  { drill, size }: SaleRun,
  { crowd, monitor, windowLog, faultAt, limits, problems, notes }: Observed,
  settled: SettledSale | undefined,
): Omit<DrillResult, 'ledger' | 'tookMs'> {
  const { record } = crowd;
  if (!settled) problems.push('gate and ledger did not settle');
  const windows = windowLog.windows(size.windowMs);
  const worstWindow = Math.max(0, ...windows.map(({ count }) => count));
  const overfull = listOverfull(windows, limits.limitAt);
  const invariants: Invariant[] = [
    ...saleInvariants(settled ?? EMPTY_SALE, { seen: [...record.confirmations.keys()] }),
    {
      rule: 'admitted ≤ limit in every window',
      holds: overfull.length === 0,
      evidence: overfull.map(({ at, count, limit }) => `${count} of ${limit} at ${at}`).join(', '),
    },
  ];
  problems.push(...monitor.mismatches);
  for (const [message, count] of record.unexpected) problems.push(`${count} shoppers received ${message}`);
  const resumedMs = sellingAgainMs(crowd, faultAt);
  // A hit that no node showed is missing from the window check. Hits from before an outage as long as a window end unseen.
  const areAllShown = !windowLog.wasCut() && (resumedMs ?? 0) < size.windowMs;
  if (areAllShown && windowLog.size() < record.charged.size) {
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
    sellingAgainMs: resumedMs,
    invariants,
    problems,
    notes,
  };
}

const EMPTY_SALE: SettledSale = {
  total: 0,
  sold: 0,
  remaining: -1,
  reserved: 0,
  confirmed: [],
};

/** Returns the time from the fault to the first confirmation of a call that was sent after it. */
function sellingAgainMs({ record }: Crowd, faultAt: number | undefined): number | undefined {
  if (faultAt === undefined) return undefined;
  const confirmedAfterMs = [...record.confirmations]
    .filter(([id]) => (record.boughtBy.get(id) ?? 0) > faultAt)
    .map(([, { seenAt }]) => seenAt - faultAt);
  return confirmedAfterMs.length > 0 ? Math.min(...confirmedAfterMs) : undefined;
}
