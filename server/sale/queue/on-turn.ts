import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors';
import type { Turn, TurnResult } from '../../limiter/queue';
import { STORE_BUDGET_MS } from '../../trpc/deadline';
import type { Purchase } from '../purchase';
import { decodePayload } from '../ticket';

export interface OnTurnOptions {
  purchase: Purchase;
  /** Ends the waiting tickets of a coupon. */
  voidGroup: (couponId: string, reason: string) => Promise<unknown>;
  /** Returns Redis's clock. */
  storeNow: () => number;
  /** Stops the retries of a paused sale. Another node then runs the turn. */
  signal: AbortSignal;
  /** Time from its charge for which a paused purchase is retried, in ms. Default: 60 s. */
  pausedForMs?: number;
  /** Time between two purchases of a paused sale, in ms. Default: 500. */
  retryMs?: number;
}

const PAUSED_FOR_MS = 60_000;
const RETRY_MS = 500;

/**
 * Creates the function that buys at the turn of a ticket, under its request id, so a repeated turn buys once. A paused
 * purchase is repeated without a charge. When the sale has ended or is sold out, the function voids the waiting tickets.
 */
export function createOnTurn({
  purchase,
  voidGroup,
  storeNow,
  signal,
  pausedForMs = PAUSED_FOR_MS,
  retryMs = RETRY_MS,
}: OnTurnOptions): (turn: Turn) => Promise<TurnResult> {
  return async function onTurn({ group: couponId, payload, servedAt }) {
    const buyer = decodePayload(payload);
    if (!buyer) return { reason: 'lost' };
    for (;;) {
      const deadline = performance.now() + STORE_BUDGET_MS;
      try {
        const bought = await purchase({ kind: 'seckill', couponId, ...buyer, deadline });
        const { outcome } = bought;
        if (outcome === 'sold-out' || outcome === 'ended') await voidGroup(couponId, outcome);
        if (outcome !== 'paused') return { outcome: JSON.stringify(bought) };
      } catch (error) {
        // The coupon was deleted, or is of another kind: calling again is useless.
        if (error instanceof AppError && error.code !== 'SERVICE_UNAVAILABLE') return { reason: 'lost' };
        throw error;
      }
      if (storeNow() - servedAt >= pausedForMs) return { reason: 'lost' };
      await sleep(retryMs, undefined, { signal });
    }
  };
}
