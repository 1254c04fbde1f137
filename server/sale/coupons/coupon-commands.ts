import type { Db } from '../../db/client';
import { StoreUnavailableError } from '../../limiter';
import type { Amended, Amendment } from '../gate/amend-gate';
import type { Coupon } from './coupon';
import type { CouponReader, Viewer } from './coupon-reader';
import { changeCouponRow, insertCouponRow } from './coupon-rows';
import { applyTermsChange, checkTerms, type Terms, type TermsChange } from './terms';

/** The operator of a command, and the reader of its reply. */
export interface Operator {
  who: string;
  viewer: Viewer;
}

/** The commands of operators on coupons. A refused command throws an `AppError` and changes nothing. */
export interface CouponCommands {
  create(terms: Terms, operator: Operator): Promise<Coupon>;
  update(options: { id: string; change: TermsChange }, operator: Operator): Promise<Coupon>;
  /** Ends a sale now. Does nothing after its end. Orders stay. */
  close(id: string, operator: Operator): Promise<Coupon>;
}

export interface CouponCommandsOptions {
  db: Db;
  couponReader: CouponReader;
  ensureGate: (couponId: string) => Promise<boolean>;
  amendGate: (change: Amendment) => Promise<Amended>;
  readStoreTime: () => Promise<number>;
  log: { warn(fields: object, message: string): void };
}

/**
 * Creates the commands. Each writes to Postgres with its audit entry, then sends the change to the gate. If the node cannot
 * send it or stops in between, `sync-gates.ts` sends it on any node.
 */
export function createCouponCommands({
  db,
  couponReader,
  ensureGate,
  amendGate,
  readStoreTime,
  log,
}: CouponCommandsOptions): CouponCommands {
  /** Logs an unavailable store instead of throwing, because the change is committed. */
  async function updateGate(id: string, update: () => Promise<unknown>): Promise<void> {
    couponReader.invalidate();
    try {
      await update();
    } catch (err) {
      if (!(err instanceof StoreUnavailableError)) throw err;
      log.warn({ err, couponId: id }, 'A change could not be sent to its gate. It will be sent again.');
    }
    couponReader.invalidate();
  }

  const readCoupon = async (id: string, { viewer }: Operator) => (await couponReader.byId(id, viewer)).coupon;

  return {
    async create(terms, operator) {
      const checked = checkTerms(terms, { now: await readStoreTime() });
      const { id } = await insertCouponRow(db, { terms: checked, who: operator.who });
      await updateGate(id, () => ensureGate(id));
      return readCoupon(id, operator);
    },

    async update({ id, change }, operator) {
      const now = await readStoreTime();
      const amendment = await changeCouponRow(db, {
        ...{ id, who: operator.who, what: 'coupon.update' },
        change: (before, { sold }) => applyTermsChange(before, change, { now, sold }),
      });
      if (amendment) await updateGate(id, () => amendGate(amendment));
      return readCoupon(id, operator);
    },

    async close(id, operator) {
      const now = await readStoreTime();
      const amendment = await changeCouponRow(db, {
        ...{ id, who: operator.who, what: 'coupon.close' },
        // In the past by the clocks of both stores, so that neither treats the sale as open. A sale that closes before
        // its start gets a start before its end.
        change(before, { databaseNow }) {
          const endsAt = Math.min(now, databaseNow);
          if (endsAt >= before.endsAt) return before;
          return { ...before, startsAt: Math.min(before.startsAt, endsAt - 1), endsAt };
        },
      });
      if (amendment) await updateGate(id, () => amendGate(amendment));
      return readCoupon(id, operator);
    },
  };
}
