import { and, eq, isNotNull, isNull, lte, or } from 'drizzle-orm';
import type { Db } from '../db/client';
import { coupons } from '../db/schema';

/** Time between the end of a sale and its next round. */
export const PAUSE_MS = 30_000;

export interface RoundsOptions {
  db: Db;
  /** Called for each round on the node that opened it. If that node stops before the call, no other node makes it. */
  onOpened: (couponId: string) => Promise<unknown>;
  /** Epoch ms. Default: this node's clock. */
  now?: () => number;
}

/**
 * Creates the rounds of a demo: 30 s after a seckill of a series has sold out or ended, its next round opens as a new coupon
 * with the same stock, price and duration. A coupon that an operator has created or ended has no series. Call
 * `openNextRounds` every second on any number of nodes: each round opens once.
 */
export function createRounds({ db, onOpened, now = Date.now }: RoundsOptions): {
  openNextRounds(): Promise<void>;
} {
  return {
    async openNextRounds() {
      const at = now();
      for (const coupon of await findOverBefore(db, new Date(at - PAUSE_MS))) {
        const opened = await openNextRound(db, coupon, new Date(at));
        if (opened !== undefined) await onOpened(opened);
      }
    },
  };
}

type Row = typeof coupons.$inferSelect;

/** Finds the seckills of a series that had ended at this instant and have no next round. */
function findOverBefore(db: Db, instant: Date): Promise<Row[]> {
  return db
    .select()
    .from(coupons)
    .where(
      and(
        eq(coupons.kind, 'seckill'),
        isNotNull(coupons.series),
        isNull(coupons.nextRoundAt),
        or(lte(coupons.soldOutAt, instant), lte(coupons.endsAt, instant)),
      ),
    );
}

/** Opens the next round and returns its id; `undefined` if another node was first. */
async function openNextRound(db: Db, coupon: Row, at: Date): Promise<string | undefined> {
  const { merchantId, kind, title, faceValueCents, priceCents, stock, holdMs, series } = coupon;
  const round = coupon.round + 1;
  return db.transaction(async (tx) => {
    const claimed = await tx
      .update(coupons)
      .set({ nextRoundAt: at })
      .where(and(eq(coupons.id, coupon.id), isNull(coupons.nextRoundAt), isNotNull(coupons.series)))
      .returning({ id: coupons.id });
    if (claimed.length === 0) return undefined;

    const [opened] = await tx
      .insert(coupons)
      .values({
        ...{ merchantId, kind, title, faceValueCents, priceCents, stock, holdMs },
        id: `${series}-r${round}`,
        series,
        round,
        startsAt: at,
        endsAt: new Date(at.getTime() + coupon.endsAt.getTime() - coupon.startsAt.getTime()),
      })
      .onConflictDoNothing()
      .returning({ id: coupons.id });
    return opened?.id;
  });
}
