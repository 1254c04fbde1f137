import type { Gate } from './gate';

/** Sees to it that every coupon that is or will be on sale has a gate. */
export interface GateKeeper {
  /** Rebuilds the gate if it has no state. True where it has one now. */
  ensure(couponId: string): Promise<boolean>;
  /** Looks after every coupon that has not ended. */
  sweep(): Promise<void>;
}

export interface GateKeeperOptions {
  gate: Gate;
  rebuild: (couponId: string) => Promise<boolean>;
  /** Coupons that have not ended. */
  openCoupons: () => Promise<string[]>;
  log: { info(fields: object, message: string): void };
}

export function createGateKeeper({ gate, rebuild, openCoupons, log }: GateKeeperOptions): GateKeeper {
  /** One rebuild of a coupon at a time on this node; whoever comes meanwhile shares its outcome. */
  const rebuilding = new Map<string, Promise<boolean>>();

  async function ensure(couponId: string): Promise<boolean> {
    if ((await gate.remaining(couponId)) !== undefined) return true;
    const started = rebuilding.get(couponId) ?? rebuildOnce(couponId);
    rebuilding.set(couponId, started);
    return started;
  }

  async function rebuildOnce(couponId: string): Promise<boolean> {
    try {
      const opened = await rebuild(couponId);
      if (opened) log.info({ couponId }, 'The gate was rebuilt from the ledger.');
      return opened;
    } finally {
      rebuilding.delete(couponId);
    }
  }

  return {
    ensure,
    async sweep() {
      for (const couponId of await openCoupons()) await ensure(couponId);
    },
  };
}
