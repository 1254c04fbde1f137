import type { Db } from '../../db/client';
import { StoreUnavailableError } from '../../limiter';
import type { Amended, Amendment } from '../gate/amend-gate';
import type { Coupon } from './coupon';
import type { CouponReader, Viewer } from './coupon-reader';
import { changeCouponRow, insertCouponRow } from './coupon-rows';
import { applyTermsChange, checkTerms, type Terms, type TermsChange } from './terms';

/** Who asks, and in which language the answer is. */
export interface Operator {
  who: string;
  viewer: Viewer;
}

/** What an operator does to coupons. Each throws an `AppError` where it makes no sense, and then has done nothing. */
export interface CouponCommands {
  create(terms: Terms, operator: Operator): Promise<Coupon>;
  update(options: { id: string; change: TermsChange }, operator: Operator): Promise<Coupon>;
  /** Ends a sale now; one that has ended stays as it is. Orders stand. */
  close(id: string, operator: Operator): Promise<Coupon>;
}

export interface CouponCommandsOptions {
  db: Db;
  couponReader: CouponReader;
  ensureGate: (couponId: string) => Promise<boolean>;
  amendGate: (change: Amendment) => Promise<Amended>;
  /** Redis's clock, which the gates decide by. */
  readStoreTime: () => Promise<number>;
  log: { warn(fields: object, message: string): void };
}

/**
 * Postgres has the change first, and the audit log with it. Its gate is told at once; where that fails, or the node ends
 * in between, whichever node looks round next tells it (`gate-watch.ts`).
 */
export function createCouponCommands({
  db,
  couponReader: catalog,
  ensureGate: openGate,
  amendGate,
  readStoreTime: now,
  log,
}: CouponCommandsOptions): CouponCommands {
  /** What was committed is done, whether or not the gate can be told right now. */
  async function tellGate(id: string, tell: () => Promise<unknown>): Promise<void> {
    catalog.invalidate();
    try {
      await tell();
    } catch (err) {
      if (!(err instanceof StoreUnavailableError)) throw err;
      log.warn({ err, couponId: id }, 'A changed coupon could not be told to its gate; it will be.');
    }
    catalog.invalidate();
  }

  const shown = async (id: string, { viewer }: Operator) => (await catalog.byId(id, viewer)).coupon;

  return {
    async create(terms, operator) {
      const checked = checkTerms(terms, { now: await now() });
      const { id } = await insertCouponRow(db, { terms: checked, who: operator.who });
      await tellGate(id, () => openGate(id));
      return shown(id, operator);
    },

    async update({ id, change }, operator) {
      const at = await now();
      const amendment = await changeCouponRow(db, {
        ...{ id, who: operator.who, what: 'coupon.update' },
        change: (before, { sold }) => applyTermsChange(before, change, { now: at, sold }),
      });
      if (amendment) await tellGate(id, () => amendGate(amendment));
      return shown(id, operator);
    },

    async close(id, operator) {
      const at = await now();
      const amendment = await changeCouponRow(db, {
        ...{ id, who: operator.who, what: 'coupon.close' },
        // Past on the clock of either store, so that nobody takes it for open. What closes before its start never was.
        change(before, { databaseNow }) {
          const endsAt = Math.min(at, databaseNow);
          if (endsAt >= before.endsAt) return before;
          return { ...before, startsAt: Math.min(before.startsAt, endsAt - 1), endsAt };
        },
      });
      if (amendment) await tellGate(id, () => amendGate(amendment));
      return shown(id, operator);
    },
  };
}
