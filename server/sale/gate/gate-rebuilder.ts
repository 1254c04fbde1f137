import type { Fence, Fences } from './fence';
import type { Gate } from './gate';

/** Keeps a gate open for every coupon that is or will be on sale. */
export interface GateRebuilder {
  /** Rebuilds the gate if it has no state or an older one than this node has seen. Returns true if it is open now. */
  ensureGate(couponId: string): Promise<boolean>;
  /** Marks a gate that contradicts the ledger. The next sweep rebuilds it, whatever state it has. */
  markForRebuild(couponId: string): void;
  /** Rebuilds the gates of current coupons that are missing, marked, or of another generation than the ledger. */
  sweepGates(): Promise<void>;
}

export interface GateRebuilderOptions {
  gate: Gate;
  fences: Fences;
  rebuildGate: (couponId: string) => Promise<boolean>;
  /** Lists the coupons that have not ended, with the fences of their gates in the ledger. */
  listOpenCoupons: () => Promise<(Fence & { id: string })[]>;
  /** Called for every gate that this node has rebuilt. */
  onRebuilt: () => void;
  log: { info(fields: object, message: string): void };
}

/** Creates the rebuilder of a node. */
export function createGateRebuilder(options: GateRebuilderOptions): GateRebuilder {
  const { gate, fences, rebuildGate, listOpenCoupons, onRebuilt, log } = options;
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
      const isOpened = await rebuildGate(couponId);
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
