import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { TRPCClientError } from '@trpc/client';
import type { AppRouter } from '../server/router';
import { createNodeClient, type NodeClient } from './node-clients';

/** What the crowd did and was told. */
export interface CrowdRecord {
  calls: number;
  refused: number;
  paused: number;
  /** 503, or no answer at all. */
  unavailable: number;
  /** Request ids that bought: each has charged the window of everybody. */
  charged: Set<string>;
  /** Every order that somebody was told is confirmed, with its shopper and when they heard it first. */
  confirmations: Map<string, { userId: string; heardAt: number }>;
  /** When the call was sent that bought the order, by its id; of the last one that was answered by it. */
  boughtBy: Map<string, number>;
  /** Orders that their shoppers know as reserved, and still ask for. */
  awaited: Set<string>;
  /** Answers that nobody may get, by their words. */
  unexpected: Map<string, number>;
}

export interface CrowdOptions {
  /** Where the nodes answer. A shopper who is not answered goes to the next one, as nginx would send them. */
  urls: readonly string[];
  couponId: string;
  size: number;
  shopperId: (place: number) => string;
  cookieOf: (userId: string) => string;
  /** How many calls are under way at once, at most. */
  inFlight: number;
  isOver: () => boolean;
}

export interface Crowd {
  record: CrowdRecord;
  /** Ends when every shopper has left. */
  done: Promise<void>;
  /** Sends home whoever is still there. */
  stop(): void;
}

const CALL_TIMEOUT_MS = 8_000;
const FIRST_BACKOFF_MS = 200;
/** Thousands who come back sooner would keep a slow machine from ever answering them. */
const MAX_BACKOFF_MS = 5_000;

type Answer =
  | { kind: 'order'; order: { id: string; status: string } }
  | { kind: 'refused'; retryAfterMs: number }
  | { kind: 'paused' | 'unavailable' | 'gone' | 'missing' };

/** Shoppers who come one after the other and do not give up: each is told to wait, waits, and comes back. */
export function startCrowd(options: CrowdOptions): Crowd {
  const { urls, couponId, size, shopperId, cookieOf, inFlight, isOver } = options;
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
  const turns = createTurns(inFlight);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  /** Whoever holds an order stays until they know what became of it. */
  const hasLeft = (orderId: string | undefined) =>
    stopping.signal.aborted || (isOver() && orderId === undefined);
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal });

  function recordConfirmation(order: { id: string; status: string }, userId: string): void {
    if (order.status !== 'confirmed' || record.confirmations.has(order.id)) return;
    record.confirmations.set(order.id, { userId, heardAt: Date.now() });
  }

  /** Makes a call when it has its turn, and counts what came of it. */
  function callNode(call: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    return turns.take(async () => {
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
      return { kind: 'refused', retryAfterMs: retryAfterMs(data) };
    }
    if (data?.code === 'NOT_FOUND') return { kind: 'missing' };
    // Without data there was no answer of the product: the connection broke, or nobody was there.
    if (data === undefined || data === null || data.code === 'SERVICE_UNAVAILABLE') {
      record.unavailable += 1;
      return { kind: 'unavailable' };
    }
    const words = `${data.path ?? ''} ${data.code}: ${error.message}`;
    record.unexpected.set(words, (record.unexpected.get(words) ?? 0) + 1);
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

  /** Looks after one order: by its id, and in the wallet with the same request. */
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

  async function shop(place: number): Promise<void> {
    await pause(arrivalMs(place));
    const userId = shopperId(place);
    const shopper = { userId, cookie: cookieOf(userId), requestId: randomUUID() };
    let at = place;
    let backoffMs = FIRST_BACKOFF_MS;
    let orderId: string | undefined;
    while (!hasLeft(orderId)) {
      const node = nodes[at % nodes.length];
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
          // Redis lost a reservation that was never confirmed. The same try to buy goes on.
          if (orderId !== undefined) record.awaited.delete(orderId);
          orderId = undefined;
          break;
        case 'refused':
          backoffMs = FIRST_BACKOFF_MS;
          await pause(answer.retryAfterMs + jittered(500));
          break;
        case 'paused':
        case 'unavailable':
          at += 1;
          await pause(jittered(backoffMs));
          backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS);
          break;
        case 'gone':
          return;
      }
    }
  }

  const shoppers = Array.from({ length: size }, (_, place) => shop(place).catch(unlessStopped));
  return {
    record,
    done: Promise.all(shoppers).then(() => undefined),
    stop: () => stopping.abort(),
  };
}

/**
 * The first come one by one, so that a fault finds the sale going on and its window not yet full; then all the others
 * at once, more than any window takes.
 */
function arrivalMs(place: number): number {
  return Math.min(place, EARLY) * EARLY_EVERY_MS + Math.max(0, place - EARLY) * LATER_EVERY_MS;
}

const EARLY = 100;
const EARLY_EVERY_MS = 30;
const LATER_EVERY_MS = 3;

interface Shopper {
  userId: string;
  cookie: string;
  /** Kept across the retries of one try to buy. */
  requestId: string;
}

function unlessStopped(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}

/** Between half and one and a half of it. */
function jittered(ms: number): number {
  return ms * (0.5 + Math.random());
}

function retryAfterMs(data: object): number {
  if (!('rateLimit' in data) || typeof data.rateLimit !== 'object' || data.rateLimit === null) return 1_000;
  const { rateLimit } = data;
  return 'retryAfterMs' in rateLimit && typeof rateLimit.retryAfterMs === 'number'
    ? rateLimit.retryAfterMs
    : 1_000;
}

/** Lets so many pass at once; the others wait in the order in which they came. */
function createTurns(most: number): { take<Result>(work: () => Promise<Result>): Promise<Result> } {
  let taken = 0;
  const waiting: (() => void)[] = [];
  return {
    async take(work) {
      if (taken >= most) await new Promise<void>((resolve) => waiting.push(resolve));
      else taken += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else taken -= 1;
      }
    },
  };
}
