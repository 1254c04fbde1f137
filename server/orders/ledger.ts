import type { RefusedEntry } from '../coupons/gate';
import type { Db } from '../db/client';
import type { Order } from './order';
import type { Delivery, Outbox } from './outbox';
import { type Settled, writeBatch } from './write-batch';

/** Moves orders from the outboxes into Postgres, which is the promise, and tells who waits for them. */
export interface Ledger {
  /** There is something in this coupon's outbox. Returns at once. */
  kick(couponId: string): void;
  /** Looks into every outbox again, for what was left behind by a fault or by another node. */
  sweep(): Promise<void>;
  /** Age of the oldest order that is not in Postgres yet, as of the last sweep, in ms. */
  lagMs(): number;
  /** Ends when nothing is being written. */
  stop(): Promise<void>;
}

export interface LedgerOptions {
  db: Db;
  outbox: Outbox;
  /** Coupons whose outboxes may hold something. */
  activeCoupons: () => Promise<string[]>;
  release: (entry: RefusedEntry) => Promise<void>;
  /** Hears of every settled order, again where an acknowledgement failed. */
  onSettled: (orders: Order[]) => void | Promise<void>;
  /** Hears of every order once, when it is written. */
  onWritten: (order: Order) => void;
  /** Hears after each look round how old the oldest order is that is not in Postgres. */
  onLag: (lagMs: number) => void;
  now: () => Promise<number>;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** An entry that its consumer has not settled for this long is taken over. */
const RECLAIM_AFTER_MS = 10_000;

export function createLedger({
  db,
  outbox,
  activeCoupons,
  release,
  onSettled,
  onWritten,
  onLag,
  now,
  log,
}: LedgerOptions): Ledger {
  const wanted = new Set<string>();
  /** Outboxes of which this node holds no entry that it has read and not settled; none at start. */
  const settledUp = new Set<string>();
  let draining: Promise<void> | undefined;
  let stopped = false;
  let lagMs = 0;

  function kick(couponId: string): void {
    wanted.add(couponId);
    if (!stopped)
      draining ??= drainAll().finally(() => {
        draining = undefined;
      });
  }

  async function drainAll(): Promise<void> {
    for (let next = wanted.values().next(); !next.done; next = wanted.values().next()) {
      wanted.delete(next.value);
      await attempt(next.value, () => drain(next.value));
    }
  }

  /** What fails is left in the outbox, and the next sweep tries it again. */
  async function attempt(couponId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      settledUp.delete(couponId);
      log.warn({ err: error, couponId }, 'The ledger could not write; it tries again.');
    }
  }

  async function drain(couponId: string): Promise<void> {
    if (!settledUp.has(couponId)) {
      await settleAll(couponId, () => outbox.readOwn(couponId));
      settledUp.add(couponId);
    }
    await settleAll(couponId, () => outbox.readNew(couponId));
  }

  async function settleAll(couponId: string, read: () => Promise<Delivery>): Promise<void> {
    for (;;) {
      const { entries, malformed } = await read();
      if (malformed.length > 0) {
        log.error(
          { couponId, malformed },
          'The outbox held entries that are no orders; they were put aside.',
        );
        await outbox.bury(couponId, malformed);
      }
      if (entries.length > 0) await settle(couponId, await writeBatch(db, couponId, entries));
      if (entries.length + malformed.length === 0) return;
    }
  }

  async function settle(couponId: string, settled: Settled[]): Promise<void> {
    for (const { order, isNew } of settled) if (isNew) onWritten(order);
    await onSettled(settled.map(({ order }) => order));
    for (const { entry, held } of settled) {
      if (held)
        await release({
          couponId,
          generation: entry.generation,
          userId: entry.userId,
          orderId: entry.orderId,
          held,
        });
    }
    await outbox.acknowledge(
      couponId,
      settled.map(({ entry }) => entry),
    );
  }

  return {
    kick,

    async sweep() {
      const instant = await now();
      // An outbox that cannot be read, on a cluster that has lost one of its nodes, keeps no other from being emptied.
      const looks = await Promise.allSettled(
        (await activeCoupons()).map(async (couponId) => ({ couponId, first: await outbox.oldest(couponId) })),
      );
      const waiting = looks.flatMap((look) => {
        if (look.status === 'rejected' || look.value.first === undefined) return [];
        return [{ couponId: look.value.couponId, first: look.value.first }];
      });
      const failed = looks.find((look) => look.status === 'rejected');
      const oldest = Math.min(instant, ...waiting.map(({ first }) => first));
      lagMs = Math.max(failed ? lagMs : 0, instant - oldest);
      onLag(lagMs);
      for (const { couponId } of waiting) {
        await attempt(couponId, () => settleAll(couponId, () => outbox.reclaim(couponId, RECLAIM_AFTER_MS)));
        kick(couponId);
      }
      if (failed) throw failed.reason;
    },

    lagMs: () => lagMs,

    async stop() {
      stopped = true;
      await draining;
    },
  };
}
