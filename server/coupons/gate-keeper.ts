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
      // The ledger refuses whatever a gate of another generation sells: of an older one, whose rebuild never opened
      // it, and of a newer one, which knows another ledger.
      const isForeign = async ({ id, generation }: { id: string; generation: number }) =>
        (await gate.state(id))?.generation !== generation;

      // A gate that cannot be asked, on a cluster that has lost one of its nodes, keeps no other from being looked after.
      const looks = await Promise.allSettled(
        (await openCoupons()).map(async (coupon) => ({ coupon, foreign: await isForeign(coupon) })),
      );
      for (const look of looks) {
        if (look.status === 'rejected' || !look.value.foreign) continue;
        // Another node may have rebuilt it while this one was busy with the gates before it.
        if (await isForeign(look.value.coupon)) await rebuildShared(look.value.coupon.id);
      }
      const failed = looks.find((look) => look.status === 'rejected');
      if (failed) throw failed.reason;
    },
  };
}
