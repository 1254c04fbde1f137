import { randomUUID } from 'node:crypto';
import os from 'node:os';
import pLimit from 'p-limit';
import { describeMachine } from '../../bench/harness/section';
import { StepError } from '../../scripts/lib/steps.mjs';
import { until } from '../../test/until';
import { fullSize } from '../drill';
import { setLimits } from '../set-limits';
import { type CrowdRecord, MAX_IN_FLIGHT, startCrowd } from '../shoppers';
import { signInDemo } from './accounts';
import { readReadiness } from './journey';
import { openSale, type SmokeSale } from './open-sale';
import { callPatiently, runAndUndo } from './patient';
import type { RunStep } from './steps';

export interface LoadOptions {
  /** The origin of an instance in demo mode, such as `http://127.0.0.1:3000`. */
  url: string;
  /** From 1. */
  shoppers: number;
  step: RunStep;
  /** Makes the shoppers leave. */
  signal: AbortSignal;
}

const SIGN_IN = { policy: 'auth.signInDemo', level: 'ip' };
/** An embedded Postgres has one session: with more at once, its other queries time out. */
const SIGN_INS_IN_FLIGHT = 8;
/** The window `coupon.read` of the caller's address admits 300 reads a minute. */
const READ_EVERY_MS = 500;
const SOLD_OUT_WITHIN_MS = 10 * 60_000;
const INFORMED_WITHIN_MS = 60_000;

/** The end of a sale, as the shoppers and the sale page saw it. */
interface Outcome {
  record: CrowdRecord;
  stock: number;
  /** The stock that the sale page showed last. */
  remaining: number;
  tookMs: number;
}

/**
 * Sends the shoppers of the drills to a running instance: all want a coupon of one sale, which has as many for each as in the
 * drills. Returns the report. Throws if a guarantee is broken or an answer was unexpected.
 */
export async function sendShoppers(options: LoadOptions): Promise<string> {
  const { url, shoppers, step, signal } = options;
  await step('ready', async (note) => note(await readReadiness(url)));
  const stock = Math.ceil((shoppers * fullSize.stock) / fullSize.shoppers);
  const sale = await step('open a sale', () => openSale(url, { stock, priceCents: 0, signal }));
  const outcome = await runAndUndo(
    async () => sell(options, { sale, cookies: await signInAll(options, sale) }),
    { name: 'close the sale', undo: sale.close },
  );
  const report = formatReport(options, outcome);
  const problems = listProblems(outcome);
  if (problems.length > 0) throw new StepError([report, ...problems].join('\n'));
  return report;
}

/** Signs all shoppers in, while the limit of sign-ins from one address is raised. Returns their cookies. */
async function signInAll(
  { url, shoppers, step, signal }: LoadOptions,
  { admin, cookie }: SmokeSale,
): Promise<string[]> {
  const { policies } = await admin.limit.list.query();
  const levels = policies.find(({ policy }) => policy === SIGN_IN.policy)?.levels;
  const former = levels?.find(({ level }) => level === SIGN_IN.level);
  if (!former) throw new StepError(`${url} has no level ${SIGN_IN.level} of ${SIGN_IN.policy}.`);
  const { declared, effective, mode } = former;
  const { limit, windowMs } = effective;
  const wasChanged = mode !== 'enforce' || limit !== declared.limit || windowMs !== declared.windowMs;
  const run = randomUUID().slice(0, 8);
  const names = Array.from({ length: shoppers }, (_, index) => `Smoke ${run} ${index}`);
  // A proxy bounds the calls of one address, too, and another node has the raised limit within a second.
  const signIn = async (name: string) =>
    (await callPatiently(() => signInDemo(url, { name }), signal)).cookie;
  const signInEach = () =>
    step('sign in', async (note) => {
      note(`${shoppers} shoppers`);
      const raised = { ...SIGN_IN, limit: limit + shoppers, windowMs };
      await setLimits([url], [raised], { cookie, signal });
      return pLimit(SIGN_INS_IN_FLIGHT).map(names, signIn);
    });
  return runAndUndo(signInEach, {
    name: 'restore the limit of sign-ins',
    undo: async () =>
      wasChanged
        ? admin.limit.update.mutate({ ...SIGN_IN, limit, windowMs })
        : admin.limit.reset.mutate(SIGN_IN),
  });
}

/** Lets the shoppers buy until all is sold and each buyer knows the outcome of the order. */
async function sell(
  { url, signal }: LoadOptions,
  { sale, cookies }: { sale: SmokeSale; cookies: readonly string[] },
): Promise<Outcome> {
  const { couponId, stock } = sale;
  const startedAt = performance.now();
  let [remaining, haveLeft] = [stock, false];
  const crowd = startCrowd({
    urls: [url],
    couponId,
    size: cookies.length,
    shopperId: String,
    joinsQueue: () => false,
    cookieOf: (index) => cookies[Number(index)] ?? '',
    isOver: () => remaining === 0,
  });
  const { record } = crowd;
  const left = crowd.done.then(() => {
    haveLeft = true;
  });
  const isOver = async () => {
    remaining = (await sale.readRemaining()) ?? remaining;
    return remaining === 0 || haveLeft;
  };
  try {
    await until(isOver, { withinMs: SOLD_OUT_WITHIN_MS, everyMs: READ_EVERY_MS, signal });
    const tookMs = performance.now() - startedAt;
    await until(crowd.isSettled, { withinMs: INFORMED_WITHIN_MS, signal });
    return { record, stock, remaining, tookMs };
  } finally {
    crowd.stop();
    await left;
  }
}

function listProblems({ record, stock, remaining }: Outcome): string[] {
  const { confirmations, awaited, unexpected } = record;
  const buyers = new Set([...confirmations.values()].map(({ userId }) => userId)).size;
  return [
    confirmations.size === 0 && 'No order was confirmed.',
    confirmations.size > stock && 'More orders were confirmed than there were coupons.',
    buyers < confirmations.size && `${confirmations.size} orders were confirmed for ${buyers} shoppers.`,
    remaining > 0 && `${remaining} coupons were not sold.`,
    awaited.size > 0 && `${awaited.size} shoppers never learned the outcome of their orders.`,
    ...[...unexpected].map(([message, count]) => `${count} shoppers received ${message}.`),
  ].filter((problem) => problem !== false);
}

/** Formats the report for a terminal: one screen. */
function formatReport({ url, shoppers }: LoadOptions, { record, stock, tookMs }: Outcome): string {
  const { calls, refused, unavailable, paused, confirmations } = record;
  const sorted = record.tookMs.toSorted((a, b) => a - b);
  const percentile = (part: number) =>
    `${(sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN).toFixed(1)} ms`;
  const rows = {
    shoppers: `${shoppers}, at most ${MAX_IN_FLIGHT} calls at once`,
    calls: `${calls} in ${(tookMs / 1_000).toFixed(1)} s`,
    p50: percentile(0.5),
    p99: percentile(0.99),
    orders: `${confirmations.size} confirmed, ${stock} coupons`,
    refusals: String(refused),
    failures: `${unavailable} calls without an answer, ${paused} to a paused sale`,
    oversold: String(Math.max(0, confirmations.size - stock)),
    machine: `${describeMachine('simulate the shoppers')}; load average ${os.loadavg()[0]?.toFixed(2)}`,
  };
  const lines = Object.entries(rows).map(([name, value]) => `  ${name.padEnd(10)} ${value}`);
  return [url, ...lines].join('\n');
}
