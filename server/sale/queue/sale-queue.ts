import { setMaxListeners } from 'node:events';
import { AppError } from '../../errors';
import { type Limiter, type ResolvedPolicy, StoreUnavailableError } from '../../limiter/index';
import type { LiveQueue } from '../../live/live-hub';
import type { Log } from '../../observability/log';
import type { Metrics } from '../../observability/metrics';
import type { Job } from '../../timers';
import type { CouponCommands } from '../coupons/coupon-commands';
import type { Sale } from '../sale';
import { type SaleTicket, toSaleTicket } from '../ticket';
import { createOnTurn } from './on-turn';

/** The queue behind the shared window of the sale, on one node. */
export interface SaleQueue {
  /** Returns the tickets of a shopper: the given ones, and those that wait or ended in the last hour. */
  mine(options: { userId: string; ticketIds?: readonly string[] | undefined }): Promise<{
    tickets: SaleTicket[];
    serverNow: number;
  }>;
  /** Ends a waiting ticket of a shopper. Returns false if it is not waiting. */
  leave(options: { userId: string; ticketId: string }): Promise<boolean>;
  /** Closes a coupon by `close`, and ends its tickets with the reason that an operator closed it. */
  endOnClose<Result>(couponId: string, close: () => Promise<Result>): Promise<Result>;
  /** Ends the tickets of a shopper whom an operator has banned from the sale, by pseudonym. */
  endBanned(denied: { policy: string; level: string; ref: string }): Promise<void>;
  /** Returns the public state of the queue. Throws `StoreUnavailableError`. */
  readState(): Promise<LiveQueue>;
  jobs: readonly Job[];
  stop(): Promise<void>;
}

export interface SaleQueueOptions {
  limiter: Pick<Limiter, 'queue'>;
  /** Its last level has the queue. */
  policy: ResolvedPolicy<never>;
  sale: Pick<Sale, 'purchase' | 'findEnd' | 'isPaused' | 'listKnownCoupons'>;
  /** Returns Redis's clock. */
  storeNow: () => number;
  metrics: Pick<Metrics, 'setQueueWaiting' | 'observeServed'>;
  log: Pick<Log, 'warn' | 'debug'>;
}

const SWEEP_EVERY_MS = 250;
/** Another node may add a ticket until it knows that a coupon has ended. */
const VOID_AGAIN_FOR_MS = 5_000;

/** Serves the queue of the sale from this node, whenever no other node does. */
export function startSaleQueue({
  limiter,
  policy,
  sale,
  storeNow,
  metrics,
  log,
}: SaleQueueOptions): SaleQueue {
  const queue = limiter.queue(policy);
  const [own, shared] = [policy.levels[0]?.level ?? '', policy.levels.at(-1)?.level ?? ''];
  const stopping = new AbortController();
  // Each purchase of a paused sale listens.
  setMaxListeners(0, stopping.signal);
  const endedAt = new Map<string, number>();
  const closing = new Set<string>();
  const { voidGroup } = queue;

  const server = queue.serve({
    onTurn: createOnTurn({ purchase: sale.purchase, voidGroup, storeNow, signal: stopping.signal }),
    pausedGroups: () => sale.listKnownCoupons().filter(sale.isPaused),
    onError(err) {
      const isOutage = err instanceof StoreUnavailableError || err instanceof AppError;
      if (stopping.signal.aborted) return;
      log[isOutage ? 'debug' : 'warn']({ err }, 'Serving the queue failed. It is repeated.');
    },
    onServed(turns) {
      for (const { servedAt, promisedAt, again } of turns) {
        if (!again) metrics.observeServed(policy.name, Math.max(0, servedAt - promisedAt));
      }
    },
  });

  /** Ends the tickets of coupons that have ended or are sold out. */
  async function endTickets(): Promise<void> {
    metrics.setQueueWaiting(policy.name, server.waiting());
    if (server.waiting() === 0) return;
    for (const couponId of sale.listKnownCoupons()) {
      if (closing.has(couponId)) continue;
      const reason = sale.findEnd(couponId);
      const since = reason && (endedAt.get(couponId) ?? performance.now());
      if (since === undefined) endedAt.delete(couponId);
      else endedAt.set(couponId, since);
      if (reason && since !== undefined && performance.now() - since <= VOID_AGAIN_FOR_MS) {
        await voidGroup(couponId, reason);
      }
    }
  }

  return {
    async mine({ userId, ticketIds = [] }) {
      const { tickets, now } = await queue.mine({ subjects: { user: userId }, ticketIds, groups: 'all' });
      const byId = new Map(tickets.map((ticket) => [ticket.ticketId, toSaleTicket(ticket)]));
      return { tickets: [...byId.values()], serverNow: now };
    },
    leave: ({ userId, ticketId }) => queue.leave({ subjects: { user: userId }, ticketId }),
    async endOnClose(couponId, close) {
      closing.add(couponId);
      try {
        const closed = await close();
        await voidGroup(couponId, 'closed').catch((err: unknown) =>
          log.warn(
            { err },
            'The tickets of a closed coupon could not be ended at once. The next sweep ends them.',
          ),
        );
        return closed;
      } finally {
        closing.delete(couponId);
      }
    },
    async endBanned(denied) {
      if (denied.policy === policy.name && denied.level === own)
        await queue.voidSubject(denied.ref, 'banned');
    },
    async readState() {
      const { waiting, nextTurnAt, lastTurnAt, version } = await queue.state();
      return { policy: policy.name, level: shared, waiting, nextTurnAt, lastTurnAt, version };
    },
    jobs: [{ name: 'Ending tickets of the queue', run: endTickets, everyMs: SWEEP_EVERY_MS }],
    async stop() {
      stopping.abort();
      await server.stop();
    },
  };
}

/** Returns the operators' commands. A closed coupon ends its tickets. */
export function endTicketsOnClose(
  commands: CouponCommands,
  queue: Pick<SaleQueue, 'endOnClose'>,
): CouponCommands {
  return {
    ...commands,
    close: (id, operator) => queue.endOnClose(id, () => commands.close(id, operator)),
  };
}
