import type { Fence, Fences } from './fence';
import type { Gate } from './gate';

/** Sees to it that every coupon that is or will be on sale has a gate. */
export interface GateRebuilder {
  /** Rebuilds the gate if it has no state, or one that is older than what this node has seen. True where it stands. */
  ensureGate(couponId: string): Promise<boolean>;
  /** The gate is not as the ledger says: it is rebuilt by the next sweep, whatever state it has. */
  markForRebuild(couponId: string): void;
  /** Looks after every coupon that has not ended. */
  sweepGates(): Promise<void>;
}

export interface GateRebuilderOptions {
  gate: Gate;
  fences: Fences;
  rebuildGate: (couponId: string) => Promise<boolean>;
  /** Coupons that have not ended, and how far their gates have come by the ledger. */
  listOpenCoupons: () => Promise<(Fence & { id: string })[]>;
  /** Hears of every gate that this node has rebuilt. */
  onRebuilt: () => void;
  log: { info(fields: object, message: string): void };
}

export function createGateRebuilder(options: GateRebuilderOptions): GateRebuilder {
  const { gate, fences: fence, rebuildGate: rebuild, listOpenCoupons: openCoupons, onRebuilt, log } = options;
  /** One rebuild of a coupon at a time on this node; whoever comes meanwhile shares its outcome. */
  const rebuilding = new Map<string, Promise<boolean>>();
  const distrusted = new Set<string>();

  async function ensure(couponId: string): Promise<boolean> {
    const standing = await gate.readState(couponId);
    return (standing && !standing.isStale) || rebuildShared(couponId);
  }

  function rebuildShared(couponId: string): Promise<boolean> {
    const started = rebuilding.get(couponId) ?? rebuildOnce(couponId);
    rebuilding.set(couponId, started);
    return started;
  }

  async function rebuildOnce(couponId: string): Promise<boolean> {
    try {
      const opened = await rebuild(couponId);
      if (!opened) return false;
      distrusted.delete(couponId);
      onRebuilt();
      log.info({ couponId }, 'The gate was rebuilt from the ledger.');
      return true;
    } finally {
      rebuilding.delete(couponId);
    }
  }

  return {
    ensureGate: ensure,

    markForRebuild: (couponId) => void distrusted.add(couponId),

    async sweepGates() {
      // The ledger refuses whatever a gate of another generation sells: of an older one, whose rebuild never opened
      // it, and of a newer one, which knows another ledger. One of this generation that counts less than the ledger
      // has written is an older copy of itself.
      const isForeign = async ({ id, generation }: { id: string; generation: number }) => {
        const standing = await gate.readState(id);
        return standing?.generation !== generation || standing.isStale || distrusted.has(id);
      };

      // A gate that cannot be asked, on a cluster that has lost one of its nodes, keeps no other from being looked after.
      const looks = await Promise.allSettled(
        (await openCoupons()).map(async (coupon) => {
          fence.observe(coupon.id, { generation: coupon.generation, sequence: coupon.sequence });
          return { coupon, foreign: await isForeign(coupon) };
        }),
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
