import { isDeepStrictEqual } from 'node:util';
import { and, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../../db/client';
import { coupons } from '../../db/schema';
import { withinStoreTimeout } from '../../limiter';
import { defineScript } from '../../lua-scripts';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import type { GateSnapshot, LedgerSnapshot } from './audit-verdict';

/** Looks at one coupon's gate and ledger so that they can be compared. */
export interface AuditReader {
  /** Seckills that are or come, and those that have not been over for an hour. */
  listCoupons(): Promise<string[]>;
  /** `gate` is undefined where it has no state, or where it changed while the ledger was read. */
  readSnapshots(
    couponId: string,
  ): Promise<{ gate: GateSnapshot | undefined; ledger: LedgerSnapshot } | undefined>;
}

/** An outbox with more than that has a ledger that is behind; what is reserved will be told when it is not. */
const MOST_ENTRIES = 1_000;
/** A gate that sells all the time is looked at as often as this for a moment at which nothing happens. */
const TRIES = 3;
const WAIT_MS = 1_000;

export function createAuditReader({ db, redis }: { db: Db; redis: RedisClient }): AuditReader {
  const run = defineScript(redis, { command: 'saleAuditGate', file: 'sale/audit-gate.lua', numberOfKeys: 2 });

  async function lookAtGate(couponId: string): Promise<GateSnapshot | undefined> {
    const { gate, outbox } = saleKeys(couponId);
    const reading = run([gate, outbox], [MOST_ENTRIES]);
    const [generation, sequence, revision, remaining, waiting, ...orderIds] = gateReply.parse(
      await withinStoreTimeout(reading, WAIT_MS),
    );
    if (generation === '') return undefined;
    return {
      generation: Number(generation),
      sequence: Number(sequence),
      revision: Number(revision),
      // Whatever is no number there was not put there by a script, and adds up to nothing.
      remaining: remaining ? Number(remaining) : Number.NaN,
      orderIds: Number(waiting) > MOST_ENTRIES ? undefined : orderIds,
    };
  }

  /** One statement, so that it sees one instant. */
  async function lookAtLedger(
    couponId: string,
    orderIds: readonly string[],
  ): Promise<LedgerSnapshot | undefined> {
    const { rows } = await db.execute<Record<string, unknown>>(sql`
      select c.stock, c.sold, c.generation, c.gate_sequence::int as "sequence", c.revision,
        c.ends_at <= now() as "isOver",
        (select count(*)::int from orders o where o.coupon_id = c.id and o.one_per_shopper
          and o.status in ('confirmed', 'paid')) as "openOrders",
        (select count(*)::int from orders o where o.coupon_id = c.id and o.gate_owed = c.generation) as "owed",
        (select count(*)::int from orders o where o.id = any(${sql.param(orderIds)}::text[])) as "written",
        (select count(*)::int from orders o where o.id = any(${sql.param(orderIds)}::text[])
          and o.status not in ('confirmed', 'paid')) as "refused"
      from coupons c where c.id = ${couponId} and c.stock is not null`);
    return rows[0] && ledgerRow.parse(rows[0]);
  }

  return {
    async listCoupons() {
      const hour = sql`now() - interval '1 hour'`;
      const isRecent = and(
        gt(coupons.endsAt, hour),
        or(isNull(coupons.nextRoundAt), gt(coupons.nextRoundAt, sql`now() - interval '2 minutes'`)),
      );
      const rows = await db
        .select({ id: coupons.id })
        .from(coupons)
        .where(and(eq(coupons.kind, 'seckill'), isRecent));
      return rows.map(({ id }) => id);
    },

    async readSnapshots(couponId) {
      for (let tries = TRIES; ; tries -= 1) {
        const before = await lookAtGate(couponId);
        const ledger = await lookAtLedger(couponId, before?.orderIds ?? []);
        if (!ledger) return undefined;
        const stoodStill = isDeepStrictEqual(before, await lookAtGate(couponId));
        if (stoodStill || tries === 1) return { gate: stoodStill ? before : undefined, ledger };
      }
    },
  };
}

const gateReply = z.tuple([z.string()]).rest(z.string());

const ledgerRow = z.object({
  stock: z.number(),
  sold: z.number(),
  generation: z.number(),
  sequence: z.number(),
  revision: z.number(),
  isOver: z.boolean(),
  openOrders: z.number(),
  owed: z.number(),
  written: z.number(),
  refused: z.number(),
}) satisfies z.ZodType<LedgerSnapshot>;
