import type { Db } from '../../db/client';
import { withinStoreTimeout } from '../../limiter';
import type { Fence } from '../gate/fence';
import type { RefusedEntry } from '../gate/gate';
import { type InTurn, inTurn } from '../orders/in-turn';
import type { Order } from '../orders/order';
import { findRefusal } from '../orders/refusal';
import {
  type Delivery,
  EMPTY_DELIVERY,
  type Outbox,
  type RefusedOutboxEntry,
  type Unwritten,
} from './outbox';
import type { OutboxEntry } from './outbox-entry';
import type { UnwrittenBound } from './unwritten-bound';
import { type WriteOptions, type WrittenBatch, writeBatch } from './write-batch';
import { writeEntries } from './write-entries';

/** Moves orders from the outboxes into Postgres, which is the promise, and tells who waits for them. */
export interface Ledger {
  /** There is something in this coupon's outbox. Returns at once. */
  requestDrain(couponId: string): void;
  /** Writes everything that this coupon's outbox holds, whoever has read it. Throws where that is not possible. */
  drainOutbox(couponId: string): Promise<void>;
  /** Looks into every outbox again, for what was left behind by a fault or by another node. */
  sweepOutboxes(): Promise<void>;
  /** Whether more waits in this coupon's outbox than its gate promises beyond, as of the last sweep. */
  isLedgerBehind(couponId: string): boolean;
  /** Age of the oldest order that is not in Postgres yet, as of the last sweep, in ms. */
  ledgerLagMs(): number;
  /** Ends when nothing is being written. */
  stop(): Promise<void>;
}

export interface LedgerOptions {
  db: Db;
  outbox: Outbox;
  /** Coupons whose outboxes may hold something. */
  listActiveCoupons: () => Promise<string[]>;
  /** Above it the gate promises nothing; the oldest entries are then written by any node that can. */
  unwritten: UnwrittenBound;
  releaseReservation: (entry: RefusedEntry) => Promise<void>;
  /** Hears that a gate sold more than the ledger of the same generation has. */
  markForRebuild: (couponId: string) => void;
  /** Hears of every settled order, again where an acknowledgement failed, and how far the gate has come. */
  onSettled: (orders: Order[], mark?: Fence & { couponId: string }) => void | Promise<void>;
  /** Hears of every order once, when it is written. */
  onWritten: (order: Order) => void;
  /** Hears of each entry that could not be written. */
  onDeadLetter: () => void;
  /** Hears after each look how many coupons are beyond the bound. */
  onBehind: (coupons: number) => void;
  /** Hears after each look round how old the oldest order is that is not in Postgres. */
  onLag: (lagMs: number) => void;
  readStoreTime: () => Promise<number>;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** An entry that its consumer has not settled for this long is taken over. */
const RECLAIM_AFTER_MS = 10_000;
/**
 * Coupons whose batches are in Postgres at once. A row that is locked holds up one of them, for as long as a statement
 * may take, and all of them together leave connections to everybody else. A pool of one puts them in a line.
 */
const WRITES_AT_ONCE = 4;
/** An outbox that is not seen within this time, on a frozen node of a cluster, holds up no look at the others. */
const LOOK_WAIT_MS = 1_000;
/** So often Postgres has to say no to an entry, by one node, before it is put aside. */
const MOST_TRIES = 3;

export function createLedger({
  db,
  outbox,
  listActiveCoupons: activeCoupons,
  unwritten: bound,
  releaseReservation: release,
  markForRebuild: onOversold,
  onSettled,
  onWritten,
  onDeadLetter: onBuried,
  onBehind,
  onLag,
  readStoreTime: now,
  log,
}: LedgerOptions): Ledger {
  const wanted = new Set<string>();
  /** Outboxes of which this node holds no entry that it has read and not settled; none at start. */
  const settledUp = new Set<string>();
  /** How often an entry was refused, by its coupon and its place in the outbox. */
  const tries = new Map<string, number>();
  /** Outboxes in which a sweep found something: what other nodes have left there is taken over. */
  let unwritten = new Map<string, Unwritten & { isBehind: boolean }>();
  const toTakeOver = new Set<string>();
  /** One drain to a coupon: what stands in the way of one, in either store, holds up no other. */
  const draining = new Map<string, Promise<void>>();
  const runWrite = inTurn(WRITES_AT_ONCE);
  let stopped = false;
  let lagMs = 0;

  function kick(couponId: string): void {
    wanted.add(couponId);
    if (stopped || draining.has(couponId)) return;
    draining.set(couponId, drainWhileWanted(couponId));
  }

  async function drainWhileWanted(couponId: string): Promise<void> {
    while (wanted.delete(couponId)) await attempt(couponId, () => drain(couponId));
    draining.delete(couponId);
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

  function write(
    couponId: string,
    entries: readonly OutboxEntry[],
    options?: WriteOptions,
  ): Promise<WrittenBatch> {
    return runWrite(() => writeBatch(db, couponId, entries, options));
  }

  async function drain(couponId: string): Promise<void> {
    if (toTakeOver.delete(couponId)) {
      const isBehind = unwritten.get(couponId)?.isBehind;
      const read = isBehind ? outbox.readAll : () => outbox.reclaim(couponId, RECLAIM_AFTER_MS);
      await settleAll(couponId, () => read(couponId));
    }
    if (!settledUp.has(couponId)) {
      settledUp.add(couponId);
      await settleAll(couponId, () => outbox.readOwn(couponId));
    }
    await settleNew(couponId);
  }

  /**
   * By two at once: while one has its batch in Postgres, the other reads the next one, or tells of the last one and
   * acknowledges it. When one finds nothing any more, or fails, the other reads no further either.
   */
  async function settleNew(couponId: string): Promise<void> {
    const writeInTurn = inTurn(1);
    let isOver = false;
    const readOn = async () => (isOver ? EMPTY_DELIVERY : outbox.readNew(couponId));
    const settleOn = () =>
      settleAll(couponId, readOn, writeInTurn).finally(() => {
        isOver = true;
      });
    await Promise.all([attempt(couponId, settleOn), attempt(couponId, settleOn)]);
  }

  /** Ends when nothing is read any more: what is read is either settled, or tried again and in the end put aside. */
  async function settleAll(
    couponId: string,
    read: () => Promise<Delivery>,
    runInTurn: InTurn = (work) => work(),
  ): Promise<void> {
    for (;;) {
      const { entries, malformed } = await read();
      for (const entry of malformed) await bury(couponId, { ...entry, why: 'is no order' });
      const writeNext = (batch: readonly OutboxEntry[]) => runInTurn(() => write(couponId, batch));
      for await (const outcome of writeEntries(entries, writeNext)) {
        if ('settled' in outcome) await settle(couponId, outcome);
        else await countTry(couponId, outcome.unwritable, outcome.why);
      }
      if (entries.length + malformed.length === 0) return;
    }
  }

  async function settle(couponId: string, { settled, fence: mark, isOversold }: WrittenBatch): Promise<void> {
    for (const { order, isNew } of settled) if (isNew) onWritten(order);
    await onSettled(
      settled.map(({ order }) => order),
      { couponId, ...mark },
    );
    for (const { entry, order, held } of settled) {
      // An order that has ended may be sold again by a repeated call of its request id: its piece is free all the same.
      const isOver = order.status === 'cancelled' || order.status === 'expired';
      // A gate of another generation was opened with what the ledger has, and owes this entry nothing.
      if (!isOver || entry.generation !== mark.generation) continue;
      const { generation, userId, orderId } = entry;
      await release({ couponId, generation, userId, orderId, held });
    }
    if (isOversold) onOversold(couponId);
    await outbox.ackEntries(
      couponId,
      settled.map(({ entry }) => entry),
    );
    if (tries.size > 0) for (const { entry } of settled) tries.delete(tryKey(couponId, entry));
  }

  async function countTry(couponId: string, entry: OutboxEntry, why: string): Promise<void> {
    settledUp.delete(couponId);
    const key = tryKey(couponId, entry);
    const count = (tries.get(key) ?? 0) + 1;
    tries.set(key, count);
    if (count < MOST_TRIES) return;
    await bury(couponId, { ...entry, why });
    tries.delete(key);
    await cancel(couponId, entry);
  }

  async function bury(couponId: string, entry: RefusedOutboxEntry): Promise<void> {
    if (!(await outbox.deadLetter(couponId, entry))) return;
    const { entryId, why } = entry;
    log.error({ couponId, entryId, why }, 'An entry of the outbox cannot be written; it was put aside.');
    onBuried();
  }

  /** Tells the shopper; in the ledger too, if it takes the order as a cancelled one. The gate has told the wallet. */
  async function cancel(couponId: string, entry: OutboxEntry): Promise<void> {
    const { orderId, userId, createdAt } = entry;
    try {
      await write(couponId, [entry], { refuseAll: true });
    } catch (error) {
      if (findRefusal(error) === undefined) throw error;
    }
    await onSettled([{ id: orderId, couponId, userId, status: 'cancelled', createdAt }]);
  }

  return {
    requestDrain: kick,

    drainOutbox: (couponId) => settleAll(couponId, () => outbox.readAll(couponId)),

    async sweepOutboxes() {
      const instant = await now();
      // An outbox that cannot be read, on a cluster that has lost one of its nodes, keeps no other from being emptied.
      const looks = await Promise.allSettled(
        (await activeCoupons()).map(async (couponId) => ({
          couponId,
          found: await withinStoreTimeout(outbox.countUnwritten(couponId), LOOK_WAIT_MS),
        })),
      );
      unwritten = new Map();
      for (const look of looks) {
        if (look.status === 'rejected' || !look.value.found) continue;
        const { couponId, found } = look.value;
        const isBehind = found.entries >= bound.entries || instant - found.since > bound.ageMs;
        unwritten.set(couponId, { ...found, isBehind });
      }
      const waiting = [...unwritten.values()];
      const failed = looks.find((look) => look.status === 'rejected');
      const oldest = Math.min(instant, ...waiting.map(({ since }) => since));
      lagMs = Math.max(failed ? lagMs : 0, instant - oldest);
      onLag(lagMs);
      onBehind(waiting.filter(({ isBehind }) => isBehind).length);
      // Not waited for: a Postgres that holds up the writing must not hold up the looking.
      for (const couponId of unwritten.keys()) {
        toTakeOver.add(couponId);
        kick(couponId);
      }
      if (failed) throw failed.reason;
    },

    isLedgerBehind: (couponId) => unwritten.get(couponId)?.isBehind ?? false,

    ledgerLagMs: () => lagMs,

    async stop() {
      stopped = true;
      await Promise.all(draining.values());
    },
  };
}

function tryKey(couponId: string, { entryId }: OutboxEntry): string {
  return `${couponId} ${entryId}`;
}
