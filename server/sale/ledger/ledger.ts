import { eq, sql } from 'drizzle-orm';
import pLimit from 'p-limit';
import type { Db } from '../../db/client';
import { coupons } from '../../db/schema';
import { withinStoreTimeout } from '../../limiter/index';
import type { Log } from '../../observability/log';
import type { Fence } from '../gate/fence';
import type { LedgerLagBound, RefusedEntry } from '../gate/gate';
import { endedWithoutPurchase, type Order } from '../order';
import {
  type Backlog,
  type Delivery,
  EMPTY_DELIVERY,
  type Outbox,
  type OutboxEntry,
  type UnwritableEntry,
} from './outbox';
import { findContentError, type WrittenBatch, writeBatch, writeEntries } from './write-batch';

/** Writes the orders of the outboxes to Postgres, which makes them durable, and reports each settled order. */
export interface Ledger {
  /** Starts to drain a coupon's outbox soon. Returns at once. */
  requestDrain(couponId: string): void;
  /** Writes all entries of a coupon's outbox, including those that another node has read. Throws if it cannot. */
  drainOutbox(couponId: string): Promise<void>;
  /** Reads the backlogs of the due outboxes, and drains what a fault or another node has left. */
  sweepOutboxes(): Promise<void>;
  /** Returns true if the coupon's outbox was above the bound in the last sweep. */
  isLedgerBehind(couponId: string): boolean;
  /** Returns the age of the oldest unwritten order in the last sweep, in ms. */
  ledgerLagMs(): number;
  /** Resolves when no write is running. */
  stop(): Promise<void>;
}

export interface LedgerOptions {
  db: Db;
  outbox: Outbox;
  /** Lists the coupons whose outboxes may have entries since the last sweep. Those with a backlog are read anyway. */
  listDueOutboxes: () => Promise<string[]>;
  /** Called for each outbox that may have entries or cannot be read: it is due again, and its gate with it. */
  onBacklog: (couponId: string) => void;
  /** Above this bound any node may write the oldest entries. */
  lagBound: LedgerLagBound;
  releaseReservation: (entry: RefusedEntry) => Promise<void>;
  /** Called for a gate that sold more than the ledger of the same generation has. */
  markForRebuild: (couponId: string) => void;
  /** Called with every settled order, again after a failed ack, and with the fence of its gate. */
  onSettled: (orders: Order[], fence?: Fence & { couponId: string }) => void | Promise<void>;
  /** Called once for every written order. */
  onWritten: (order: Order) => void;
  /** Called for each entry that became a dead letter. */
  onDeadLetter: () => void;
  /** Called after each sweep with the number of coupons above the bound. */
  onBehind: (coupons: number) => void;
  /** Called after each sweep with the age of the oldest unwritten order. */
  onLag: (lagMs: number) => void;
  readStoreTime: () => Promise<number>;
  log: Pick<Log, 'warn' | 'error'>;
}

/** Idle time after which a node claims the unsettled entries of another consumer. */
const RECLAIM_AFTER_MS = 10_000;
/**
 * Maximum number of coupons with a running transaction. A locked row delays one of them for up to a statement's timeout,
 * and other work keeps its connections. With a pool of one connection they run one after the other.
 */
const MAX_CONCURRENT_WRITES = 4;
/** Timeout of one backlog read, so that an outbox on a frozen cluster node does not delay the others. */
const BACKLOG_TIMEOUT_MS = 1_000;
/** Refusals of an entry by Postgres, on one node, after which it becomes a dead letter. */
const MAX_ATTEMPTS = 3;

/** Creates the ledger of a node. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share what is known of each outbox.
export function createLedger({
  db,
  outbox,
  listDueOutboxes,
  onBacklog,
  lagBound,
  releaseReservation,
  markForRebuild,
  onSettled,
  onWritten,
  onDeadLetter,
  onBehind,
  onLag,
  readStoreTime,
  log,
}: LedgerOptions): Ledger {
  const requested = new Set<string>();
  /** Coupons without entries that this node has read but not settled. Empty at start. */
  const settledCoupons = new Set<string>();
  /** Number of refusals of an entry, by coupon and entry id. */
  const attempts = new Map<string, number>();
  /** Outboxes with entries in the last sweep. The next drain of each also claims the entries of other nodes. */
  let backlogs = new Map<string, Backlog & { isBehind: boolean }>();
  const toReclaim = new Set<string>();
  /** One drain per coupon, so that a coupon that cannot be drained delays no other. */
  const draining = new Map<string, Promise<void>>();
  const limitWrites = pLimit(MAX_CONCURRENT_WRITES);
  let isStopped = false;
  let lagMs = 0;

  function requestDrain(couponId: string): void {
    onBacklog(couponId);
    requested.add(couponId);
    if (isStopped || draining.has(couponId)) return;
    draining.set(couponId, drainWhileRequested(couponId));
  }

  async function drainWhileRequested(couponId: string): Promise<void> {
    while (requested.delete(couponId)) await attempt(couponId, () => drainNew(couponId));
    draining.delete(couponId);
  }

  /** Entries of a failed drain stay in the outbox, and the next sweep tries again. */
  async function attempt(couponId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      settledCoupons.delete(couponId);
      log.warn({ err: error, couponId }, 'The ledger could not write. It will try again.');
    }
  }

  function write(
    couponId: string,
    entries: readonly OutboxEntry[],
    options?: { refuseAll: boolean },
  ): Promise<WrittenBatch> {
    return limitWrites(() => writeBatch(db, couponId, entries, options));
  }

  async function drainNew(couponId: string): Promise<void> {
    if (toReclaim.delete(couponId)) {
      const isBehind = backlogs.get(couponId)?.isBehind;
      const read = isBehind ? outbox.readAll : () => outbox.reclaim(couponId, RECLAIM_AFTER_MS);
      await settleAll(couponId, () => read(couponId));
    }
    if (!settledCoupons.has(couponId)) {
      settledCoupons.add(couponId);
      await settleAll(couponId, () => outbox.readOwn(couponId));
    }
    await settleNew(couponId);
  }

  /**
   * Runs two loops: while one has its batch in Postgres, the other reads the next batch, or reports and acks the last one.
   * When one finds no entries or fails, the other stops reading too.
   */
  async function settleNew(couponId: string): Promise<void> {
    const writeInOrder = pLimit(1);
    let isDrained = false;
    const readNext = async () => (isDrained ? EMPTY_DELIVERY : outbox.readNew(couponId));
    const settleLoop = () =>
      settleAll(couponId, readNext, writeInOrder).finally(() => {
        isDrained = true;
      });
    await Promise.all([attempt(couponId, settleLoop), attempt(couponId, settleLoop)]);
  }

  /** Ends when `read` finds no entries. Each entry is settled, or tried again until it becomes a dead letter. */
  async function settleAll(
    couponId: string,
    read: () => Promise<Delivery>,
    limit: <Result>(work: () => Promise<Result>) => Promise<Result> = (work) => work(),
  ): Promise<void> {
    for (;;) {
      const { entries, malformed } = await read();
      for (const entry of malformed) await deadLetter(couponId, { ...entry, why: 'is no order' });
      const writeNext = (batch: readonly OutboxEntry[]) => limit(() => write(couponId, batch));
      for await (const outcome of writeEntries(entries, writeNext)) {
        if ('settled' in outcome) await settle(couponId, outcome);
        else await countUnwritable(couponId, outcome.unwritable, outcome.why);
      }
      if (entries.length + malformed.length === 0) return;
    }
  }

  async function settle(couponId: string, { settled, fence, isOversold }: WrittenBatch): Promise<void> {
    for (const { order, isNew } of settled) if (isNew) onWritten(order);
    await onSettled(
      settled.map(({ order }) => order),
      { couponId, ...fence },
    );
    for (const { entry, order, blockingOrder } of settled) {
      // A repeated call of its request id may have sold an ended order again. Its stock is free all the same.
      // A gate of another generation was opened from the ledger, so it never counted this entry.
      if (!endedWithoutPurchase(order) || entry.generation !== fence.generation) continue;
      const { generation, userId, orderId } = entry;
      await releaseReservation({ couponId, generation, userId, orderId, blockingOrder });
    }
    if (isOversold) markForRebuild(couponId);
    await outbox.ackEntries(
      couponId,
      settled.map(({ entry }) => entry),
    );
    if (attempts.size > 0) for (const { entry } of settled) attempts.delete(attemptKey(couponId, entry));
  }

  async function countUnwritable(couponId: string, entry: OutboxEntry, why: string): Promise<void> {
    settledCoupons.delete(couponId);
    const key = attemptKey(couponId, entry);
    const count = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, count);
    if (count < MAX_ATTEMPTS) return;
    await deadLetter(couponId, { ...entry, why });
    attempts.delete(key);
    await cancel(couponId, entry);
  }

  async function deadLetter(couponId: string, entry: UnwritableEntry): Promise<void> {
    // Before the entry moves, so that a node that dies in between hides no dead letter.
    await db.update(coupons).set({ deadLetterAt: sql`now()` }).where(eq(coupons.id, couponId));
    if (!(await outbox.deadLetter(couponId, entry))) return;
    const { entryId, why } = entry;
    log.error({ couponId, entryId, why }, 'An outbox entry cannot be written; it became a dead letter.');
    onDeadLetter();
  }

  /**
   * Reports the order as cancelled, and writes it as cancelled if Postgres accepts that. The dead-letter script has updated
   * the reservation already.
   */
  async function cancel(couponId: string, entry: OutboxEntry): Promise<void> {
    const { orderId, userId, createdAt } = entry;
    try {
      await write(couponId, [entry], { refuseAll: true });
    } catch (error) {
      if (findContentError(error) === undefined) throw error;
    }
    await onSettled([{ id: orderId, couponId, userId, status: 'cancelled', createdAt }]);
  }

  return {
    requestDrain,

    drainOutbox: (couponId) => settleAll(couponId, () => outbox.readAll(couponId)),

    async sweepOutboxes() {
      const now = await readStoreTime();
      // One outbox that cannot be read, on a cluster that has lost a node, must not stop the sweep of the others.
      const due = [...new Set([...backlogs.keys(), ...(await listDueOutboxes())])];
      const reads = await Promise.allSettled(
        due.map((couponId) => withinStoreTimeout(outbox.readBacklog(couponId), BACKLOG_TIMEOUT_MS)),
      );
      backlogs = new Map();
      for (const [index, couponId] of due.entries()) {
        const read = reads[index];
        const backlog = read?.status === 'fulfilled' ? read.value : undefined;
        if (read?.status === 'rejected') onBacklog(couponId);
        if (!backlog) continue;
        const isBehind = backlog.entries >= lagBound.entries || now - backlog.since > lagBound.ageMs;
        backlogs.set(couponId, { ...backlog, isBehind });
      }
      const waiting = [...backlogs.values()];
      const failed = reads.find((read) => read.status === 'rejected');
      const oldest = Math.min(now, ...waiting.map(({ since }) => since));
      lagMs = Math.max(failed ? lagMs : 0, now - oldest);
      onLag(lagMs);
      onBehind(waiting.filter(({ isBehind }) => isBehind).length);
      // Not awaited: a Postgres that delays the writes must not delay the sweep.
      for (const couponId of backlogs.keys()) {
        toReclaim.add(couponId);
        requestDrain(couponId);
      }
      if (failed) throw failed.reason;
    },

    isLedgerBehind: (couponId) => backlogs.get(couponId)?.isBehind ?? false,

    ledgerLagMs: () => lagMs,

    async stop() {
      isStopped = true;
      await Promise.all(draining.values());
    },
  };
}

function attemptKey(couponId: string, { entryId }: OutboxEntry): string {
  return `${couponId} ${entryId}`;
}
