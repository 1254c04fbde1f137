import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { TRPCClientError } from '@trpc/client';
import type { inferRouterOutputs } from '@trpc/server';
import pLimit from 'p-limit';
import type { AppRouter } from '../server/router';
import { ignoreAbort } from './ignore-abort';
import type { Period } from './limit-periods';
import { createNodeClient, type NodeClient } from './node-clients';
import { refusalIn } from './refusal';
import { createTicketRecord, type TicketRecord } from './ticket-record';

/** The calls of the crowd and the answers to them. */
export interface CrowdRecord {
  calls: number;
  /** The duration of each answered call, in ms, without the time in which it waited for a slot of the crowd. */
  tookMs: number[];
  refused: number;
  paused: number;
  /** Calls with status 503 or without an answer. */
  unavailable: number;
  /** The periods of these calls. */
  outages: Period[];
  /** Request ids that bought. Each has charged the window `global`. */
  charged: Set<string>;
  /** Orders that an answer called confirmed, with the shopper and the time of the first such answer. */
  confirmations: Map<string, { userId: string; seenAt: number }>;
  /** The time at which the purchase was sent, by order id. After retries: the last answered call. */
  boughtBy: Map<string, number>;
  /** Reserved orders whose shoppers still poll for the confirmation. */
  awaited: Set<string>;
  /** Tickets that wait in the queue. */
  waiting: Set<string>;
  /** The tickets of all shoppers, also those that have ended. */
  tickets: TicketRecord;
  /** Unexpected answers, counted by message. */
  unexpected: Map<string, number>;
}

export interface CrowdOptions {
  /** The nodes. A shopper without an answer continues with the next node, as behind nginx. */
  urls: readonly string[];
  couponId: string;
  size: number;
  shopperId: (index: number) => string;
  joinsQueue: (index: number) => boolean;
  cookieOf: (userId: string) => string;
  isOver: () => boolean;
}

export interface Crowd {
  record: CrowdRecord;
  /** Returns true if no call is in flight and each order and ticket has its outcome. After the end of the sale it stays so. */
  isSettled: () => boolean;
  /** Resolves when every shopper has left. */
  done: Promise<void>;
  /** Makes the remaining shoppers leave. */
  stop(): void;
}

/** The maximum number of concurrent calls. */
export const MAX_IN_FLIGHT = 64;
const CALL_TIMEOUT_MS = 8_000;
const FIRST_BACKOFF_MS = 200;
/** A shorter cap would overload a slow machine with retries of thousands of shoppers. */
const MAX_BACKOFF_MS = 5_000;
const READ_TICKET_EVERY_MS = 1_500;

type Answer =
  | { kind: 'queued'; ticketId: string }
  | { kind: 'order'; order: { id: string; status: string } }
  | { kind: 'refused'; retryAfterMs: number }
  | { kind: 'paused' | 'unavailable' | 'gone' | 'missing' };

/** Starts shoppers one after the other. A refused shopper waits for the time of the reply and retries, without a limit of attempts. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the shoppers share one record.
export function startCrowd(options: CrowdOptions): Crowd {
  const { urls, couponId, size, shopperId, joinsQueue, cookieOf, isOver } = options;
  const record: CrowdRecord = {
    calls: 0,
    tookMs: [],
    refused: 0,
    paused: 0,
    unavailable: 0,
    outages: [],
    charged: new Set(),
    confirmations: new Map(),
    boughtBy: new Map(),
    awaited: new Set(),
    unexpected: new Map(),
    waiting: new Set(),
    tickets: createTicketRecord(),
  };
  const nodes = urls.map(createNodeClient);
  const queue = pLimit(MAX_IN_FLIGHT);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  /** A shopper with an order or a ticket stays until its outcome is known. */
  const hasLeft = (id: string | undefined) => stopping.signal.aborted || (isOver() && id === undefined);
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal });

  function recordConfirmation(order: { id: string; status: string }, userId: string): void {
    if (order.status !== 'confirmed' || record.confirmations.has(order.id)) return;
    record.confirmations.set(order.id, { userId, seenAt: Date.now() });
  }

  /** Makes a call when a slot is free, and counts its outcome. */
  function callNode(call: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    return queue(async () => {
      record.calls += 1;
      const from = Date.now();
      const startedAt = performance.now();
      const answer = await call(AbortSignal.timeout(CALL_TIMEOUT_MS)).catch(toAnswer);
      if (answer.kind === 'unavailable') record.outages.push({ from, until: Date.now() });
      else record.tookMs.push(performance.now() - startedAt);
      return answer;
    });
  }

  function toAnswer(error: unknown): Answer {
    if (!(error instanceof TRPCClientError)) throw error;
    const { data }: TRPCClientError<AppRouter> = error;
    if (data?.code === 'TOO_MANY_REQUESTS') {
      record.refused += 1;
      return { kind: 'refused', retryAfterMs: refusalIn(error)?.retryAfterMs ?? 1_000 };
    }
    if (data?.code === 'NOT_FOUND') return { kind: 'missing' };
    // Without data, no node answered: the connection broke or was refused.
    if (data === undefined || data === null || data.code === 'SERVICE_UNAVAILABLE') {
      record.unavailable += 1;
      return { kind: 'unavailable' };
    }
    const message = `${data.path ?? ''} ${data.code}: ${error.message}`;
    record.unexpected.set(message, (record.unexpected.get(message) ?? 0) + 1);
    return { kind: 'unavailable' };
  }

  /** Returns the answer of a purchase, by a call or at a turn. */
  function toPurchase(reply: PurchaseReply, { requestId, userId }: Shopper, sentAt: number): Answer {
    if (reply.outcome === 'accepted') record.charged.add(requestId);
    if ('order' in reply) {
      record.boughtBy.set(reply.order.id, sentAt);
      recordConfirmation(reply.order, userId);
      return { kind: 'order', order: reply.order };
    }
    if (reply.outcome === 'paused') record.paused += 1;
    return { kind: reply.outcome === 'paused' ? 'paused' : 'gone' };
  }

  const buy = ({ calls }: NodeClient, shopper: Shopper): Promise<Answer> =>
    callNode(async (signal) => {
      const sentAt = Date.now();
      const { requestId, cookie, joins } = shopper;
      const call = { couponId, requestId, ...(joins && { queue: true }) };
      const reply = await calls.coupon.seckill.mutate(call, { context: { cookie }, signal });
      if (reply.outcome !== 'queued') return toPurchase(reply, shopper, sentAt);
      const { ticket } = reply;
      record.tickets.onAnswer(ticket, { ...shopper, sentAt });
      return { kind: 'queued', ticketId: ticket.ticketId };
    });

  /** Reads a ticket. One that was lost with the data of Redis is `missing`, so its shopper joins again. */
  const readTicket = ({ calls }: NodeClient, shopper: Shopper, ticketId: string): Promise<Answer> =>
    callNode(async (signal) => {
      const context = { cookie: shopper.cookie };
      const sentAt = Date.now();
      const { tickets } = await calls.queue.mine.query({ ticketIds: [ticketId] }, { context, signal });
      const ticket = tickets.find((one) => one.ticketId === ticketId);
      if (ticket) record.tickets.onAnswer(ticket, { ...shopper, sentAt });
      if (ticket?.state === 'served' && ticket.outcome)
        return toPurchase(ticket.outcome, shopper, ticket.servedAt);
      if (ticket?.state !== 'void') return { kind: 'queued', ticketId };
      return { kind: ticket.reason === 'lost' ? 'missing' : 'gone' };
    });

  /** Reads one order by its id and in the wallet, in one request. */
  const readOrder = ({ batched }: NodeClient, { cookie, userId }: Shopper, id: string): Promise<Answer> =>
    callNode(async (signal) => {
      const client = batched(cookie);
      const [{ order }, { orders }] = await Promise.all([
        client.order.byId.query({ id }, { signal }),
        client.order.list.query({}, { signal }),
      ]);
      for (const one of [order, ...orders]) recordConfirmation(one, userId);
      return { kind: 'order', order };
    });

  /** Calls once for a shopper: buys, or reads the ticket or the order. */
  function callFor(node: NodeClient, shopper: Shopper, { orderId, ticketId }: Held): Promise<Answer> {
    if (orderId !== undefined) return readOrder(node, shopper, orderId);
    return ticketId === undefined ? buy(node, shopper) : readTicket(node, shopper, ticketId);
  }

  async function shop(index: number): Promise<void> {
    await pause(arrivalMs(index));
    const userId = shopperId(index);
    const shopper = { userId, cookie: cookieOf(userId), requestId: randomUUID(), joins: joinsQueue(index) };
    let nodeIndex = index;
    let backoffMs = FIRST_BACKOFF_MS;
    let held: Held = {};
    while (!hasLeft(held.orderId ?? held.ticketId)) {
      const node = nodes[nodeIndex % nodes.length];
      if (!node) return;
      const answer = await callFor(node, shopper, held);
      const isStillHeld = answer.kind === 'unavailable' || answer.kind === 'queued';
      if (held.ticketId !== undefined && !isStillHeld) record.waiting.delete(held.ticketId);
      switch (answer.kind) {
        case 'queued':
          held = { ticketId: answer.ticketId };
          record.waiting.add(answer.ticketId);
          await pause(jittered(READ_TICKET_EVERY_MS));
          break;
        case 'order':
          record.awaited.delete(answer.order.id);
          if (answer.order.status !== 'reserved') return;
          held = { orderId: answer.order.id };
          record.awaited.add(answer.order.id);
          await pause(jittered(400));
          break;
        case 'missing':
          // Redis lost a ticket or an unconfirmed reservation. The shopper tries again with the same request id.
          if (held.orderId !== undefined) record.awaited.delete(held.orderId);
          held = {};
          break;
        case 'refused':
          backoffMs = FIRST_BACKOFF_MS;
          await pause(answer.retryAfterMs + jittered(500));
          break;
        case 'paused':
        case 'unavailable':
          // Nothing was bought: the next click has a new id, as on the page. A call without an answer may have bought.
          if (answer.kind === 'paused') shopper.requestId = randomUUID();
          nodeIndex += 1;
          await pause(jittered(backoffMs));
          backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS);
          break;
        case 'gone':
          return;
      }
    }
  }

  const shoppers = Array.from({ length: size }, (_, index) => shop(index).catch(ignoreAbort));
  return {
    record,
    isSettled: () => queue.activeCount + queue.pendingCount + record.awaited.size + record.waiting.size === 0,
    done: Promise.all(shoppers).then(() => undefined),
    stop: () => stopping.abort(),
  };
}

/**
 * Returns the arrival of a shopper. The first shoppers arrive slowly, so that the fault occurs during the sale and
 * before the window is full. The others arrive faster than any window admits.
 */
function arrivalMs(index: number): number {
  return Math.min(index, EARLY) * EARLY_EVERY_MS + Math.max(0, index - EARLY) * LATER_EVERY_MS;
}

const EARLY = 100;
const EARLY_EVERY_MS = 30;
const LATER_EVERY_MS = 3;

interface Shopper {
  userId: string;
  cookie: string;
  /** The same for all retries of one purchase. */
  requestId: string;
  joins: boolean;
}

/** The order or the ticket of a shopper. */
interface Held {
  orderId?: string;
  ticketId?: string;
}

/** The answer to a purchase that did not join the queue. */
type PurchaseReply = Exclude<inferRouterOutputs<AppRouter>['coupon']['seckill'], { outcome: 'queued' }>;

/** Returns a random duration from 0.5 to 1.5 times `ms`. */
function jittered(ms: number): number {
  return ms * (0.5 + Math.random());
}
