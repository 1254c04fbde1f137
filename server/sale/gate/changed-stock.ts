import type { ChangedGates } from './changed-gates';
import { type Gate, readCurrentState } from './gate';

/** The remaining stock of a coupon. */
interface CouponStock {
  couponId: string;
  remaining: number;
}

/** Reads stock from the gates, for the live stream. Leaves out claims, and gates that cannot sell. */
export interface StockReader {
  readStock(couponIds: readonly string[]): Promise<CouponStock[]>;
  /** Reads the gates that may have changed in the last 10 s. `stockGaps` grows when earlier changes may be missing. */
  readChangedStock(): Promise<{ stock: CouponStock[]; stockGaps: number }>;
}

/** Longer than any pause of a healthy node between two reads. */
const CHANGED_FOR_MS = 10_000;

/** Creates the stock reader of a node. */
export function createStockReader({
  gate,
  changedGates,
}: {
  gate: Gate;
  changedGates: Pick<ChangedGates, 'within' | 'gaps'>;
}): StockReader {
  let lastReadAt = 0;
  let longPauses = 0;

  async function readStock(couponIds: readonly string[]): Promise<CouponStock[]> {
    const stock = await Promise.all(
      couponIds.map(async (couponId) => {
        const { remaining = null } = (await readCurrentState(gate, { couponId })) ?? {};
        return remaining === null ? [] : [{ couponId, remaining }];
      }),
    );
    return stock.flat();
  }

  return {
    readStock,

    async readChangedStock() {
      const now = performance.now();
      if (now - lastReadAt > CHANGED_FOR_MS) longPauses += 1;
      lastReadAt = now;
      const stockGaps = changedGates.gaps() + longPauses;
      return { stock: await readStock(changedGates.within(CHANGED_FOR_MS)), stockGaps };
    },
  };
}
