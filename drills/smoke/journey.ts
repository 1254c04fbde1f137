import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { hasCode } from '../../scripts/lib/files.mjs';
import { StepError } from '../../scripts/lib/steps.mjs';
import { withTimeout } from '../../server/timers';
import { type Account, clickSeckill } from '../bots';
import { signInByCode, signInDemo } from './accounts';
import { openSale } from './open-sale';
import { runAndUndo } from './patient';
import type { RunStep } from './steps';

export interface JourneyOptions {
  /** The origin of an instance in demo mode, such as `http://127.0.0.1:3000`. */
  url: string;
  /** The address of its metrics. A proxy may hide those of the nodes. */
  metricsUrl: string;
  step: RunStep;
  signal: AbortSignal;
}

/** More than the declared limit of the window `global`, and the maximum of `demo.crowd`. */
const CROWD = 300;
const STOCK = 1_000;
/** Far more than the declared limit of the level `user`. */
const MAX_CLICKS = 20;
const POLL_EVERY_MS = 250;
/** Without it, a connection that a proxy closes while its server starts may never end. */
const ANSWER_WITHIN_MS = 5_000;
/** Five scrapes of the Prometheus of the fleet. */
const METRICS_READS = 100;

/** The series that every node has once it has sold, and the value that one of each must have. */
const SERIES = {
  floodgate_rate_limit_store_up: /^floodgate_rate_limit_store_up(\{.*\})? 1\b/m,
  floodgate_rate_limit_decisions_total:
    /^floodgate_rate_limit_decisions_total\{.*outcome="refused".*\} [1-9]/m,
  floodgate_purchases_total: /^floodgate_purchases_total\{.*outcome="accepted".*\} [1-9]/m,
  floodgate_orders_total: /^floodgate_orders_total\{/m,
  floodgate_ledger_lag_seconds: /^floodgate_ledger_lag_seconds/m,
  floodgate_queue_served_total: /^floodgate_queue_served_total\{.*\} [1-9]/m,
};

const readinessSchema = z.object({
  ready: z.boolean(),
  dependencies: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string() })),
});

/** Does what shoppers do, one step after the other. A step fails if the instance does not do its part. */
export async function runJourney(options: JourneyOptions): Promise<void> {
  const { url, step, signal } = options;
  await step('ready', async (note) => note(await readReadiness(url)));
  const sale = await step('open a sale', () => openSale(url, { stock: STOCK, priceCents: 990, signal }));
  await runAndUndo(() => runShopper(options, sale.couponId), { name: 'close the sale', undo: sale.close });
}

/** Runs the steps of two shoppers at an open sale. */
async function runShopper({ metricsUrl, url, step }: JourneyOptions, couponId: string): Promise<void> {
  const buyer = await step('sign in', async (note) => {
    const account = await signInByCode(url, `smoke-${randomUUID()}@example.com`);
    note(account ? 'with a code from the mailbox' : 'with one click: the demo has a mail server');
    return account ?? signInDemo(url, { name: newName() });
  });
  await step('buy', (note) => buy(buyer, couponId).then((orderId) => note(`order ${orderId}`)));
  await step('be refused', async (note) => note(await clickUntilRefused(buyer, couponId)));
  const { waiting, ticketId } = await step('queue', async (note) => {
    const account = await signInDemo(url, { name: newName() });
    const { admitted, refused } = await fillWindow(account, couponId);
    note(`behind ${admitted} purchases of a crowd, ${refused} of it refused`);
    return { waiting: account, ticketId: await joinQueue(account, couponId) };
  });
  const orderId = await step('be served', async (note) => {
    const served = await waitForTurn(waiting, ticketId);
    note(`${(served.waitedMs / 1_000).toFixed(1)} s after joining`);
    return served.orderId;
  });
  await step('pay', () => pay(waiting, orderId));
  await step('metrics', async (note) => note(await readMetrics(metricsUrl)));
}

/** A name has at most 40 characters. */
const newName = () => `Smoke ${randomUUID().slice(0, 8)}`;

/** Returns the names of the dependencies. Throws if the address is no instance of Floodgate or is not ready. */
export async function readReadiness(url: string): Promise<string> {
  const hint = 'Give the address that `npm start` prints, such as http://127.0.0.1:3000.';
  let answer: Response;
  try {
    answer = await withTimeout(fetch(`${url}/readyz`), ANSWER_WITHIN_MS, throwLate);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const reason = hasCode(cause, 'ECONNREFUSED') ? 'no server listens there' : String(cause ?? error);
    throw new StepError(`${url} does not answer: ${reason}.`, { hint, cause: error });
  }
  const text = await answer.text();
  const { data } = readinessSchema.safeParse(parseJson(text));
  if (!data)
    throw new StepError(`${url} is no instance of Floodgate: /readyz answered ${answer.status}.`, { hint });
  const failed = Object.entries(data.dependencies).filter(([, { ok }]) => !ok);
  if (!data.ready)
    throw new StepError(
      `it is not ready: ${failed.map(([name, { detail }]) => `${name}: ${detail}`).join(', ')}`,
    );
  return Object.keys(data.dependencies).join(', ');
}

function throwLate(): never {
  throw new Error(`no answer within ${ANSWER_WITHIN_MS} ms`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** Buys once. Other shoppers of the instance may have filled the window: then it waits, as long as the step may take. */
async function buy(account: Account, couponId: string): Promise<string> {
  for (;;) {
    const answer = await clickSeckill(account, couponId);
    if (answer.kind === 'order') return answer.orderId;
    if (answer.kind === 'refused' && answer.retryAfterMs === null)
      throw new StepError(`an operator blocks the level ${answer.level} of coupon.seckill.`);
    await sleep(answer.kind === 'refused' ? (answer.retryAfterMs ?? 0) : POLL_EVERY_MS);
  }
}

/** Clicks until the shopper's own level refuses. Returns a note. */
async function clickUntilRefused(account: Account, couponId: string): Promise<string> {
  for (let clicks = 1; clicks <= MAX_CLICKS; clicks++) {
    const answer = await clickSeckill(account, couponId);
    if (answer.kind !== 'refused') continue;
    const { level, retryAfterMs } = answer;
    if (level !== 'user')
      throw new StepError(`the level ${level} refused, not the shopper's own level user.`);
    return `click ${clicks}, again in ${retryAfterMs} ms`;
  }
  throw new StepError(
    `${MAX_CLICKS} clicks were admitted. Is the level user of coupon.seckill raised or off?`,
  );
}

/** Fills the window of everyone with a simulated crowd. */
async function fillWindow(
  { node }: Account,
  couponId: string,
): Promise<{ admitted: number; refused: number }> {
  const crowd = await node.calls.demo.crowd.mutate({ couponId, shoppers: CROWD, overMs: 0 });
  if (crowd.refused > 0) return crowd;
  throw new StepError(
    `${CROWD} purchases did not fill the window: ${JSON.stringify(crowd)}. Is the level global of coupon.seckill raised or off?`,
  );
}

/** Joins the queue and returns the id of the ticket. */
async function joinQueue({ node, cookie }: Account, couponId: string): Promise<string> {
  const input = { couponId, requestId: randomUUID(), queue: true };
  const reply = await node.calls.coupon.seckill.mutate(input, { context: { cookie } });
  if (reply.outcome === 'queued') return reply.ticket.ticketId;
  throw new StepError(`a purchase into a full window was answered with ${reply.outcome}, not with a ticket.`);
}

/** Waits until the ticket is served. Returns the order that it bought. */
async function waitForTurn(
  { node, cookie }: Account,
  ticketId: string,
): Promise<{ orderId: string; waitedMs: number }> {
  for (;;) {
    const { tickets } = await node.calls.queue.mine.query({ ticketIds: [ticketId] }, { context: { cookie } });
    const ticket = tickets.find((one) => one.ticketId === ticketId);
    if (ticket?.state === 'void') throw new StepError(`the ticket is void: ${ticket.reason}.`);
    if (ticket?.state === 'served' && ticket.outcome) {
      const { outcome, servedAt, joinedAt } = ticket;
      if (!('order' in outcome)) throw new StepError(`the turn bought nothing: ${outcome.outcome}.`);
      return { orderId: outcome.order.id, waitedMs: servedAt - joinedAt };
    }
    await sleep(POLL_EVERY_MS);
  }
}

/** Waits until the order is confirmed, and pays it. */
async function pay({ node, cookie }: Account, id: string): Promise<void> {
  const context = { cookie };
  while ((await node.calls.order.byId.query({ id }, { context })).order.status === 'reserved')
    await sleep(POLL_EVERY_MS);
  const { order } = await node.calls.order.pay.mutate({ id, requestId: randomUUID() }, { context });
  if (order.status !== 'paid') throw new StepError(`the paid order is ${order.status}.`);
}

/** Waits until the metrics show the sale: Prometheus scrapes them some seconds later. Returns a note. */
async function readMetrics(metricsUrl: string): Promise<string> {
  let [text, missing]: [string, string[]] = ['', []];
  for (let reads = 0; reads < METRICS_READS; reads++) {
    const answer = await fetch(metricsUrl);
    if (!answer.ok)
      throw new StepError(`${metricsUrl} answered ${answer.status}.`, {
        hint: 'Behind a proxy that hides them, give the address of the metrics of a node: --metrics URL',
      });
    text = await answer.text();
    missing = Object.entries(SERIES).flatMap(([name, series]) => (series.test(text) ? [] : name));
    if (missing.length === 0) return `${text.split('\n').filter((line) => /^\w/.test(line)).length} series`;
    await sleep(POLL_EVERY_MS);
  }
  throw new StepError(`${metricsUrl} does not show this sale in ${missing.join(', ')}.`);
}
