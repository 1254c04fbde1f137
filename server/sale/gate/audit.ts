import { isDeepStrictEqual } from 'node:util';
import { and, eq, gt, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../../db/client';
import { isCurrentRound } from '../../db/current-round';
import { coupons } from '../../db/schema';
import { withinStoreTimeout } from '../../limiter/index';
import { defineScript } from '../../limiter/stores';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import { isAfterSlice } from './coupon-queries';
import type { SliceEnd } from './due-gates';

/** Reads the gates and ledgers of coupons so that they can be compared. */
export interface AuditReader {
  /**
   * Lists the next current and future seckills, and those that ended less than an hour ago, by their end: after this one or
   * from the first.
   */
  listSlice(after: SliceEnd | undefined): Promise<SliceEnd[]>;
  /**
   * Returns the snapshots by coupon, without those that are no seckill. Leaves out a gate that has no state, or that changed
   * while its ledger was read.
   */
  readSnapshots(couponIds: readonly string[]): Promise<Map<string, Snapshots>>;
}

/** A gate and its ledger. */
interface Snapshots {
  gate: GateSnapshot | undefined;
  ledger: LedgerSnapshot;
}

/** With a longer outbox the ledger is behind, and the audit waits until it has caught up. */
const MAX_ENTRIES = 1_000;
/** Reads of a busy gate, alone, to find an interval in which it does not change. */
const MAX_ATTEMPTS = 3;
/** Coupons of a slice, whose ledgers are read in one statement. */
export const AUDIT_SLICE = 24;
/** Timeout of one command of the audit. */
export const AUDIT_TIMEOUT_MS = 1_000;

/** Creates the reader of an auditor. */
export function createAuditReader({ db, redis }: { db: Db; redis: RedisClient }): AuditReader {
  const runAudit = defineScript(redis, {
    command: 'saleAuditGate',
    file: 'sale/audit-gate.lua',
    numberOfKeys: 2,
  });

  async function readGate(couponId: string): Promise<GateSnapshot | undefined> {
    const { gate, outbox } = saleKeys(couponId);
    const reading = runAudit([gate, outbox], [MAX_ENTRIES]);
    const [generation, sequence, revision, remaining, waiting, ...orderIds] = gateReply.parse(
      await withinStoreTimeout(reading, AUDIT_TIMEOUT_MS),
    );
    if (generation === '') return undefined;
    return {
      generation: Number(generation),
      sequence: Number(sequence),
      revision: Number(revision),
      // A value that is not a number was not written by a script, and is a mismatch.
      remaining: remaining ? Number(remaining) : Number.NaN,
      orderIds: Number(waiting) > MAX_ENTRIES ? undefined : orderIds,
    };
  }

  /** Reads in one statement, so that all numbers are of one instant. */
  async function readLedgers(gates: Gates): Promise<Map<string, LedgerSnapshot>> {
    const waiting = [...gates].flatMap(([couponId, gate]) =>
      (gate?.orderIds ?? []).map((orderId) => ({ couponId, orderId })),
    );
    const { rows } = await db.execute<Record<string, unknown>>(sql`
      with waiting as (
        select o.coupon_id, o.status from unnest(
          ${sql.param(waiting.map(({ couponId }) => couponId))}::text[],
          ${sql.param(waiting.map(({ orderId }) => orderId))}::text[]
        ) as entry (coupon_id, order_id)
        join orders o on o.id = entry.order_id and o.coupon_id = entry.coupon_id
      )
      select c.id, c.stock, c.sold, c.generation, c.gate_sequence::int as "sequence", c.revision,
        c.ends_at <= now() as "hasEnded",
        (select count(*)::int from orders o where o.coupon_id = c.id and o.one_per_shopper
          and o.status in ('confirmed', 'paid')) as "openOrders",
        (select count(*)::int from orders o where o.coupon_id = c.id and o.gate_owed = c.generation) as "compensations",
        (select count(*)::int from waiting w where w.coupon_id = c.id) as "written",
        (select count(*)::int from waiting w where w.coupon_id = c.id
          and w.status not in ('confirmed', 'paid')) as "refused"
      from coupons c where c.id = any(${sql.param([...gates.keys()])}::text[]) and c.stock is not null`);
    return new Map(rows.map(({ id, ...row }) => [String(id), ledgerRow.parse(row)]));
  }

  async function readGates(couponIds: readonly string[]): Promise<Gates> {
    return new Map(await Promise.all(couponIds.map(async (id) => [id, await readGate(id)] as const)));
  }

  /** Reads gates, their ledgers, and the gates again. Returns the coupons whose gates changed meanwhile as `busy`. */
  async function readOnce(couponIds: readonly string[]) {
    const gates = await readGates(couponIds);
    const ledgers = await readLedgers(gates);
    const again = await readGates([...ledgers.keys()]);
    const snapshots = new Map<string, Snapshots>();
    const busy: string[] = [];
    for (const [couponId, ledger] of ledgers) {
      const isUnchanged = isDeepStrictEqual(gates.get(couponId), again.get(couponId));
      if (!isUnchanged) busy.push(couponId);
      snapshots.set(couponId, { gate: isUnchanged ? gates.get(couponId) : undefined, ledger });
    }
    return { snapshots, busy };
  }

  return {
    async listSlice(after) {
      const { id, endsAt, kind } = coupons;
      const isRecent = and(gt(endsAt, sql`now() - interval '1 hour'`), isCurrentRound);
      return db
        .select({ id, endsAt })
        .from(coupons)
        .where(and(eq(kind, 'seckill'), isRecent, isAfterSlice(after)))
        .orderBy(endsAt, id)
        .limit(AUDIT_SLICE);
    },

    async readSnapshots(couponIds) {
      const snapshots = new Map<string, Snapshots>();
      for (let from = 0; from < couponIds.length; from += AUDIT_SLICE) {
        const read = await readOnce(couponIds.slice(from, from + AUDIT_SLICE));
        for (const [couponId, one] of read.snapshots) snapshots.set(couponId, one);
        for (const couponId of read.busy) {
          let isBusy = true;
          for (let attempt = 1; isBusy && attempt <= MAX_ATTEMPTS; attempt += 1) {
            const alone = await readOnce([couponId]);
            isBusy = alone.busy.length > 0;
            for (const one of alone.snapshots.values()) snapshots.set(couponId, one);
          }
        }
      }
      return snapshots;
    },
  };
}

type Gates = ReadonlyMap<string, GateSnapshot | undefined>;

const gateReply = z.tuple([z.string()]).rest(z.string());

/** A gate and its outbox at one instant. */
export interface GateSnapshot {
  generation: number;
  sequence: number;
  revision: number;
  remaining: number;
  /** Orders of this generation in the outbox; undefined if there are too many to list. */
  orderIds: readonly string[] | undefined;
}

/** The same coupon in Postgres at one instant, read while its gate did not change. */
export interface LedgerSnapshot {
  stock: number;
  sold: number;
  generation: number;
  /** The highest sequence of this generation that the ledger has written. */
  sequence: number;
  revision: number;
  hasEnded: boolean;
  /** Confirmed and paid orders. */
  openOrders: number;
  /** Ended orders with a stock compensation, which the gate may or may not have received. */
  compensations: number;
  /** Orders of the outbox that are in the ledger. */
  written: number;
  /** Written orders without stock, which the gate may or may not have released. */
  refused: number;
}

const ledgerRow = z.object({
  stock: z.number(),
  sold: z.number(),
  generation: z.number(),
  sequence: z.number(),
  revision: z.number(),
  hasEnded: z.boolean(),
  openOrders: z.number(),
  compensations: z.number(),
  written: z.number(),
  refused: z.number(),
}) satisfies z.ZodType<LedgerSnapshot>;

/**
 * `inconclusive`: the two cannot be compared now, because the gate has no state, is being rebuilt, has not applied a
 * change, or sells too fast. `gate-mismatch`: Redis contradicts a ledger that is consistent in itself.
 * `ledger-mismatch`: Postgres contradicts itself.
 */
export type AuditVerdict =
  | { verdict: 'consistent' | 'inconclusive' }
  | { verdict: 'gate-mismatch' | 'ledger-mismatch'; detail: string };

/** Compares a gate with its ledger: remaining + reserved + sold = total. */
export function computeAuditVerdict({
  gate,
  ledger,
}: {
  gate: GateSnapshot | undefined;
  ledger: LedgerSnapshot;
}): AuditVerdict {
  const { stock, sold, openOrders, compensations, written, refused } = ledger;
  if (sold > stock) return { verdict: 'ledger-mismatch', detail: `${sold} are sold of ${stock}` };
  if (openOrders !== sold) {
    return { verdict: 'ledger-mismatch', detail: `${sold} count as sold, and ${openOrders} orders are open` };
  }
  if (ledger.hasEnded || !gate?.orderIds || !isComparable(gate, ledger)) return { verdict: 'inconclusive' };

  const reserved = gate.orderIds.length - written;
  const max = stock - sold - reserved;
  const min = max - compensations - refused;
  if (gate.remaining >= min && gate.remaining <= max) return { verdict: 'consistent' };
  return {
    verdict: 'gate-mismatch',
    detail: `the gate has ${gate.remaining} left; with ${reserved} reserved and ${sold} sold of ${stock} it is ${max}`,
  };
}

function isComparable(gate: GateSnapshot, { generation, sequence, revision }: LedgerSnapshot): boolean {
  return gate.generation === generation && gate.revision === revision && gate.sequence >= sequence;
}
