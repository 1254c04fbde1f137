import { and, eq, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import type { Db } from '../../db/client';
import { coupons, orders } from '../../db/schema';
import { withinStoreTimeout } from '../../limiter/index';
import type { Log } from '../../observability/log';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import type { CouponQueries } from './coupon-queries';
import type { Fences } from './fence';
import { type Gate, REBUILD_TIMEOUT_MS, RESERVATION_TTL_MS } from './gate';

/** Keeps a gate open for every coupon that is or will be on sale. */
interface GateRebuilder {
  /** Rebuilds the gate if it has no state or an older one than this node has seen. Returns true if it is open now. */
  ensureGate(couponId: string): Promise<boolean>;
  /** Marks a gate that contradicts the ledger. The next sweep rebuilds it, whatever state it has. */
  markForRebuild(couponId: string): void;
  /** Rebuilds the gates of current coupons that are missing, marked, or of another generation than the ledger. */
  sweepGates(): Promise<void>;
}

interface RebuilderOptions extends RebuildOptions {
  listOpenCoupons: CouponQueries['listOpenCoupons'];
  /** Called for every gate that this node has rebuilt. */
  onRebuilt: () => void;
  log: Pick<Log, 'info'>;
}

/** Creates the rebuilder of a node. */
export function createGateRebuilder({
  listOpenCoupons,
  onRebuilt,
  log,
  ...options
}: RebuilderOptions): GateRebuilder {
  const { gate, fences } = options;
  /** One rebuild of a coupon at a time on this node. Concurrent callers share its outcome. */
  const rebuilding = new Map<string, Promise<boolean>>();
  const marked = new Set<string>();

  async function ensureGate(couponId: string): Promise<boolean> {
    const state = await gate.readState(couponId);
    return (state && !state.isStale) || rebuildShared(couponId);
  }

  function rebuildShared(couponId: string): Promise<boolean> {
    const started = rebuilding.get(couponId) ?? rebuildOnce(couponId);
    rebuilding.set(couponId, started);
    return started;
  }

  async function rebuildOnce(couponId: string): Promise<boolean> {
    try {
      const isOpened = await rebuildGate(options, couponId);
      if (!isOpened) return false;
      marked.delete(couponId);
      onRebuilt();
      log.info({ couponId }, 'The gate was rebuilt from the ledger.');
      return true;
    } finally {
      rebuilding.delete(couponId);
    }
  }

  return {
    ensureGate,

    markForRebuild: (couponId) => void marked.add(couponId),

    async sweepGates() {
      // The ledger refuses the sales of a gate of another generation: of an older one, whose rebuild never opened it,
      // and of a newer one, which belongs to another ledger. A gate of this generation with a lower sequence than the
      // ledger has written is an older copy of itself.
      const needsRebuild = async ({ id, generation }: { id: string; generation: number }) => {
        const state = await gate.readState(id);
        return state?.generation !== generation || state.isStale || marked.has(id);
      };

      // One gate that cannot be read, on a cluster that has lost a node, must not stop the sweep of the others.
      const checks = await Promise.allSettled(
        (await listOpenCoupons()).map(async (coupon) => {
          fences.observe(coupon.id, { generation: coupon.generation, sequence: coupon.sequence });
          return { coupon, needed: await needsRebuild(coupon) };
        }),
      );
      for (const check of checks) {
        if (check.status === 'rejected' || !check.value.needed) continue;
        // Another node may have rebuilt it while this one rebuilt the gates before it.
        if (await needsRebuild(check.value.coupon)) await rebuildShared(check.value.coupon.id);
      }
      const failed = checks.find((check) => check.status === 'rejected');
      if (failed) throw failed.reason;
    },
  };
}

/** Lifetime of a node's lease of a rebuild. */
const LEASE_LIFETIME = sql`interval '2 seconds'`;
/** Fields per command when the buyers are staged. */
const CHUNK = 1_000;

/**
 * Rebuilds the gate of a coupon from the ledger, with a new generation. Returns false while another node does so.
 *
 * One node leases the rebuild, closes the gate, and drains the outbox while the ledger still accepts its entries. Then it
 * raises the generation by a compare-and-set and reads the orders, in one transaction under the coupon's row lock, which
 * every batch of the ledger takes too. Entries that the ledger wrote before are counted. Later entries of an earlier
 * generation are refused.
 */
async function rebuildGate(options: RebuildOptions, couponId: string): Promise<boolean> {
  const { db, gate, fences, redis, drainOutbox } = options;
  const generation = await leaseRebuild(db, couponId);
  if (generation === undefined) return false;
  const state = await gate.readState(couponId, performance.now() + REBUILD_TIMEOUT_MS);
  if (state) await gate.close({ couponId, generation: state.generation });
  await drainOutbox(couponId);
  const knownGeneration = Math.max(state?.generation ?? 0, fences.highest(couponId).generation);
  const ledger = await raiseGeneration(db, { couponId, generation, knownGeneration });
  if (!ledger) return false;
  const { coupon, buyers } = ledger;
  const keys = saleKeys(couponId);

  const staged = keys.stagedBuyers(coupon.generation);
  for (let from = 0; from < buyers.length; from += CHUNK) {
    const fields = buyers.slice(from, from + CHUNK).map((order) => [order.userId, toStored(order)] as const);
    await withinRebuildTimeout(redis.hset(staged, new Map(fields)));
    await withinRebuildTimeout(redis.pexpire(staged, RESERVATION_TTL_MS));
  }

  return gate.open({
    couponId,
    generation: coupon.generation,
    kind: coupon.kind,
    startsAt: coupon.startsAt.getTime(),
    endsAt: coupon.endsAt.getTime(),
    remaining: coupon.stock === null ? null : coupon.stock - coupon.sold,
    stock: coupon.stock,
    revision: coupon.revision,
  });
}

interface RebuildOptions {
  db: Db;
  gate: Gate;
  fences: Fences;
  redis: RedisClient;
  /** Writes all entries of the coupon's outbox. */
  drainOutbox: (couponId: string) => Promise<void>;
}

/** Leases the rebuild and returns the generation to replace; undefined while another node has the lease. */
async function leaseRebuild(db: Db, couponId: string): Promise<number | undefined> {
  const { gateLeasedAt } = coupons;
  const isFree = or(isNull(gateLeasedAt), lt(gateLeasedAt, sql`now() - ${LEASE_LIFETIME}`));
  const [leased] = await db
    .update(coupons)
    .set({ gateLeasedAt: sql`now()` })
    .where(and(eq(coupons.id, couponId), isFree))
    .returning({ generation: coupons.generation });
  return leased?.generation;
}

/**
 * Raises the generation above the ledger's and above that of a gate of another ledger, and reads the orders for the new
 * gate. Returns undefined if another node was faster.
 */
async function raiseGeneration(
  db: Db,
  {
    couponId,
    generation,
    knownGeneration,
  }: { couponId: string; generation: number; knownGeneration: number },
) {
  return db.transaction(async (tx) => {
    const [coupon] = await tx
      .update(coupons)
      .set({
        generation: Math.max(generation, knownGeneration) + 1,
        gateSequence: 0,
        gateLeasedAt: sql`now()`,
      })
      .where(and(eq(coupons.id, couponId), eq(coupons.generation, generation)))
      .returning();
    if (!coupon) return undefined;

    const columns = { id: orders.id, userId: orders.userId, createdAt: orders.createdAt };
    const isOpen = inArray(orders.status, ['confirmed', 'paid']);
    const buyers =
      coupon.kind === 'seckill'
        ? await tx
            .select(columns)
            .from(orders)
            .where(and(eq(orders.couponId, couponId), isOpen))
        : [];
    return { coupon, buyers };
  });
}

const withinRebuildTimeout = <Reply>(reply: Promise<Reply>) => withinStoreTimeout(reply, REBUILD_TIMEOUT_MS);

/** Returns an order in the form that `purchase.lua` stores. */
function toStored({ id, createdAt }: { id: string; createdAt: Date }): string {
  return `${id} ${createdAt.getTime()}`;
}
