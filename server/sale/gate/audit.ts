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

/** Reads a coupon's gate and ledger so that they can be compared. */
export interface AuditReader {
  /** Lists the current and future seckills, and those that ended less than an hour ago. */
  listCoupons(): Promise<string[]>;
  /** Leaves out the gate if it has no state, or if it changed while the ledger was read. */
  readSnapshots(
    couponId: string,
  ): Promise<{ gate: GateSnapshot | undefined; ledger: LedgerSnapshot } | undefined>;
}

/** With a longer outbox the ledger is behind, and the audit waits until it has caught up. */
const MAX_ENTRIES = 1_000;
/** Reads of a busy gate to find an interval in which it does not change. */
const MAX_ATTEMPTS = 3;
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
  async function readLedger(
    couponId: string,
    orderIds: readonly string[],
  ): Promise<LedgerSnapshot | undefined> {
    const { rows } = await db.execute<Record<string, unknown>>(sql`
      select c.stock, c.sold, c.generation, c.gate_sequence::int as "sequence", c.revision,
        c.ends_at <= now() as "hasEnded",
        (select count(*)::int from orders o where o.coupon_id = c.id and o.one_per_shopper
          and o.status in ('confirmed', 'paid')) as "openOrders",
        (select count(*)::int from orders o where o.coupon_id = c.id and o.gate_owed = c.generation) as "compensations",
        (select count(*)::int from orders o where o.id = any(${sql.param(orderIds)}::text[])) as "written",
        (select count(*)::int from orders o where o.id = any(${sql.param(orderIds)}::text[])
          and o.status not in ('confirmed', 'paid')) as "refused"
      from coupons c where c.id = ${couponId} and c.stock is not null`);
    return rows[0] && ledgerRow.parse(rows[0]);
  }

  return {
    async listCoupons() {
      const hour = sql`now() - interval '1 hour'`;
      const isRecent = and(gt(coupons.endsAt, hour), isCurrentRound);
      const rows = await db
        .select({ id: coupons.id })
        .from(coupons)
        .where(and(eq(coupons.kind, 'seckill'), isRecent));
      return rows.map(({ id }) => id);
    },

    async readSnapshots(couponId) {
      for (let attempt = 1; ; attempt += 1) {
        const gate = await readGate(couponId);
        const ledger = await readLedger(couponId, gate?.orderIds ?? []);
        if (!ledger) return undefined;
        const isUnchanged = isDeepStrictEqual(gate, await readGate(couponId));
        if (isUnchanged) return { gate, ledger };
        if (attempt === MAX_ATTEMPTS) return { gate: undefined, ledger };
      }
    },
  };
}

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
