import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { TRPCClientError } from '@trpc/client';
import pLimit from 'p-limit';
import type { AppRouter } from '../server/router';
import { ignoreAbort } from './ignore-abort';
import { createNodeClient, type NodeClient } from './node-clients';
import { refusalIn } from './refusal';

/** The calls of the crowd and the answers to them. */
export interface CrowdRecord {
  calls: number;
  refused: number;
  paused: number;
  /** Calls with status 503 or without an answer. */
  unavailable: number;
  /** Request ids that bought. Each has charged the window `global`. */
  charged: Set<string>;
  /** Orders that an answer called confirmed, with the shopper and the time of the first such answer. */
  confirmations: Map<string, { userId: string; seenAt: number }>;
  /** The time at which the purchase was sent, by order id. After retries: the last answered call. */
  boughtBy: Map<string, number>;
  /** Reserved orders whose shoppers still poll for the confirmation. */
  awaited: Set<string>;
  /** Unexpected answers, counted by message. */
  unexpected: Map<string, number>;
}

export interface CrowdOptions {
  /** The nodes. A shopper without an answer continues with the next node, as behind nginx. */
  urls: readonly string[];
  couponId: string;
  size: number;
  shopperId: (index: number) => string;
  cookieOf: (userId: string) => string;
  /** The maximum number of concurrent calls. */
  maxInFlight: number;
  isOver: () => boolean;
}

export interface Crowd {
  record: CrowdRecord;
  /** Resolves when every shopper has left. */
  done: Promise<void>;
  /** Makes the remaining shoppers leave. */
  stop(): void;
}

const CALL_TIMEOUT_MS = 8_000;
const FIRST_BACKOFF_MS = 200;
/** A shorter cap would overload a slow machine with retries of thousands of shoppers. */
const MAX_BACKOFF_MS = 5_000;

type Answer =
  | { kind: 'order'; order: { id: string; status: string } }
  | { kind: 'refused'; retryAfterMs: number }
  | { kind: 'paused' | 'unavailable' | 'gone' | 'missing' };

/** Starts shoppers one after the other. A refused shopper waits for the time of the reply and retries, without a limit of attempts. */
export function startCrowd(options: CrowdOptions): Crowd {
  const { urls, couponId, size, shopperId, cookieOf, maxInFlight, isOver } = options;
  const record: CrowdRecord = {
    calls: 0,
    refused: 0,
    paused: 0,
    unavailable: 0,
    charged: new Set(),
    confirmations: new Map(),
    boughtBy: new Map(),
    awaited: new Set(),
    unexpected: new Map(),
  };
  const nodes = urls.map(createNodeClient);
  const queue = pLimit(maxInFlight);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  /** A shopper with an order stays until its outcome is known. */
  const hasLeft = (orderId: string | undefined) =>
    stopping.signal.aborted || (isOver() && orderId === undefined);
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal });

  function recordConfirmation(order: { id: string; status: string }, userId: string): void {
    if (order.status !== 'confirmed' || record.confirmations.has(order.id)) return;
    record.confirmations.set(order.id, { userId, seenAt: Date.now() });
  }

  /** Makes a call when a slot is free, and counts its outcome. */
  function callNode(call: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    return queue(async () => {
      record.calls += 1;
      try {
        return await call(AbortSignal.timeout(CALL_TIMEOUT_MS));
      } catch (error) {
        return toAnswer(error);
      }
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

  const buy = ({ calls }: NodeClient, shopper: Shopper): Promise<Answer> =>
    callNode(async (signal) => {
      const sentAt = Date.now();
      const { requestId, userId, cookie } = shopper;
      const reply = await calls.coupon.seckill.mutate(
        { couponId, requestId },
        { context: { cookie }, signal },
      );
      if (reply.outcome === 'accepted') record.charged.add(requestId);
      if ('order' in reply) {
        record.boughtBy.set(reply.order.id, sentAt);
        recordConfirmation(reply.order, userId);
        return { kind: 'order', order: reply.order };
      }
      if (reply.outcome === 'paused') record.paused += 1;
      return { kind: reply.outcome === 'paused' ? 'paused' : 'gone' };
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

  async function shop(index: number): Promise<void> {
    await pause(arrivalMs(index));
    const userId = shopperId(index);
    const shopper = { userId, cookie: cookieOf(userId), requestId: randomUUID() };
    let nodeIndex = index;
    let backoffMs = FIRST_BACKOFF_MS;
    let orderId: string | undefined;
    while (!hasLeft(orderId)) {
      const node = nodes[nodeIndex % nodes.length];
      if (!node) return;
      const answer = await (orderId === undefined ? buy(node, shopper) : readOrder(node, shopper, orderId));
      switch (answer.kind) {
        case 'order':
          record.awaited.delete(answer.order.id);
          if (answer.order.status !== 'reserved') return;
          orderId = answer.order.id;
          record.awaited.add(orderId);
          await pause(jittered(400));
          break;
        case 'missing':
          // Redis lost an unconfirmed reservation. The shopper tries again with the same request id.
          if (orderId !== undefined) record.awaited.delete(orderId);
          orderId = undefined;
          break;
        case 'refused':
          backoffMs = FIRST_BACKOFF_MS;
          await pause(answer.retryAfterMs + jittered(500));
          break;
        case 'paused':
        case 'unavailable':
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
}

/** Returns a random duration from 0.5 to 1.5 times `ms`. */
function jittered(ms: number): number {
  return ms * (0.5 + Math.random());
}
