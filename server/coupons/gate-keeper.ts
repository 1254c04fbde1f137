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
  /** Coupons that have not ended, and the generation that Postgres has for them. */
  openCoupons: () => Promise<{ id: string; generation: number }[]>;
  log: { info(fields: object, message: string): void };
}

export function createGateKeeper({ gate, rebuild, openCoupons, log }: GateKeeperOptions): GateKeeper {
  /** One rebuild of a coupon at a time on this node; whoever comes meanwhile shares its outcome. */
  const rebuilding = new Map<string, Promise<boolean>>();

  async function ensure(couponId: string): Promise<boolean> {
    return (await gate.state(couponId)) !== undefined || rebuildShared(couponId);
  }

  function rebuildShared(couponId: string): Promise<boolean> {
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
      for (const { id, generation } of await openCoupons()) {
        const state = await gate.state(id);
        // The ledger refuses whatever a gate of another generation sells: of an older one, whose rebuild never opened
        // it, and of a newer one, which knows another ledger.
        if (state?.generation !== generation) await rebuildShared(id);
      }
    },
  };
}
