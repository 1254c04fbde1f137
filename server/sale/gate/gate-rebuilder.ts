import type { Log } from '../../observability/log';
import type { Amended } from './amend-gate';
import type { ChangedGates } from './changed-gates';
import type { Amendment, LedgerGate } from './coupon-queries';
import type { GateState } from './gate';
import { type RebuildOptions, rebuildGates } from './rebuild-gates';

/** Keeps a gate open for every coupon that is or will be on sale. */
interface GateRebuilder {
  /** Rebuilds the gate if it has no state or an older one than this node has seen. Returns true if it is open now. */
  ensureGate(couponId: string): Promise<boolean>;
  /** Marks a gate that contradicts the ledger. The next sweep rebuilds it, whatever state it has. */
  markForRebuild(couponId: string): void;
  /**
   * Rebuilds the due gates of current coupons that are missing, marked, or of another generation than the ledger, and sends
   * them the operators' changes that they have not applied. A gate that fails is due again.
   */
  sweepGates(): Promise<void>;
}

interface RebuilderOptions extends RebuildOptions {
  /** Lists the gates of the next sweep. */
  listDueGates: () => Promise<LedgerGate[]>;
  changedGates: Pick<ChangedGates, 'add' | 'addGap'>;
  amendGate: (amendment: Amendment) => Promise<Amended>;
  /** Called for every gate that this node has rebuilt. */
  onRebuilt: () => void;
  log: Pick<Log, 'info'>;
}

/** Gates of one rebuild. Their rows are locked together. */
const MAX_BATCH = 50;
/** Orders of one rebuild, unless one gate has more: the time of a batch of the ledger. */
const MAX_BATCH_ORDERS = 5_000;

/** Creates the rebuilder of a node. Its functions share the running rebuilds and the marked gates. */
export function createGateRebuilder({
  listDueGates,
  changedGates,
  amendGate,
  onRebuilt,
  log,
  ...options
}: RebuilderOptions): GateRebuilder {
  const { gate, fences } = options;
  /** One rebuild of a coupon at a time on this node. Concurrent callers share its outcome. */
  const rebuilding = new Map<string, Promise<boolean>>();
  const marked = new Set<string>();
  let missingBefore = new Set<string>();
  /** Gates that the rebuild of their batch has left out. The next one rebuilds each alone, and waits for its row. */
  let alone = new Set<string>();

  async function ensureGate(couponId: string): Promise<boolean> {
    const state = await gate.readState(couponId);
    if (state && !state.isStale) return true;
    const [isOpen = false] = await rebuildShared([couponId]);
    return isOpen;
  }

  /** Returns for each gate whether it is open now. */
  async function rebuildShared(couponIds: readonly string[]): Promise<boolean[]> {
    const fresh = couponIds.filter((couponId) => !rebuilding.has(couponId));
    const opening = fresh.length > 0 ? rebuildGates(options, fresh) : undefined;
    for (const couponId of fresh) rebuilding.set(couponId, finish(couponId, opening));
    return Promise.all(couponIds.map(async (couponId) => (await rebuilding.get(couponId)) ?? false));
  }

  async function finish(couponId: string, opening?: Promise<ReadonlySet<string>>): Promise<boolean> {
    try {
      const isOpened = (await opening)?.has(couponId) ?? false;
      if (!isOpened) return false;
      marked.delete(couponId);
      onRebuilt();
      log.info({ couponId }, 'The gate was rebuilt from the ledger.');
      return true;
    } finally {
      rebuilding.delete(couponId);
    }
  }

  // The ledger refuses the sales of a gate of another generation: of an older one, whose rebuild never opened it,
  // and of a newer one, which belongs to another ledger. A gate of this generation with a lower sequence than the
  // ledger has written is an older copy of itself.
  const needsRebuild = ({ id, generation }: LedgerGate, state: GateState | undefined) =>
    state?.generation !== generation || state.isStale || marked.has(id);

  /** Sends an operator's change that the gate has not applied. Returns true if the gate must be rebuilt. */
  async function checkGate(coupon: LedgerGate): Promise<boolean> {
    const { id: couponId, revision, isOnSale } = coupon;
    const state = await gate.readState(couponId);
    if (isOnSale && needsRebuild(coupon, state)) return true;
    if (!state || state.revision >= revision) return false;
    const amended = await amendGate(coupon);
    if (amended === 'amended') log.info({ couponId, revision }, "The gate applied an operator's change.");
    return amended === 'outdated' && isOnSale;
  }

  /** Rebuilds gates, unless another node has rebuilt them while this one rebuilt those before. */
  async function rebuildBatch(coupons: readonly LedgerGate[]): Promise<void> {
    const states = await Promise.all(coupons.map(({ id }) => gate.readState(id)));
    const needed = coupons.filter((coupon, index) => needsRebuild(coupon, states[index])).map(({ id }) => id);
    const areOpen = await rebuildShared(needed);
    const leftOut = needed.filter((_id, index) => !areOpen[index]);
    for (const id of leftOut) {
      changedGates.add(id);
      if (leftOut.length < needed.length) alone.add(id);
    }
  }

  return {
    ensureGate,

    markForRebuild(couponId) {
      marked.add(couponId);
      changedGates.add(couponId);
    },

    async sweepGates() {
      const due = await listDueGates();
      // One gate that cannot be read, on a cluster that has lost a node, must not stop the sweep of the others.
      const checks = await Promise.allSettled(
        due.map(async (coupon) => {
          fences.observe(coupon.id, coupon);
          return { coupon, needed: await checkGate(coupon) };
        }),
      );
      const failures = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason] : []));
      for (const [index, { status }] of checks.entries()) {
        const couponId = due[index]?.id;
        if (status === 'rejected' && couponId !== undefined) changedGates.add(couponId);
      }
      const needed = checks.flatMap((check) =>
        check.status === 'fulfilled' && check.value.needed ? [check.value.coupon] : [],
      );
      // If Redis has lost one gate, it may have lost others.
      const missing = needed.filter(({ id, generation }) => generation > 0 && !marked.has(id));
      if (missing.some(({ id }) => !missingBefore.has(id))) changedGates.addGap();
      missingBefore = new Set(missing.map(({ id }) => id));
      const batches = [
        ...toBatches(needed.filter(({ id }) => !alone.has(id))),
        ...needed.filter(({ id }) => alone.has(id)).map((coupon) => [coupon]),
      ];
      alone = new Set();
      for (const batch of batches) {
        try {
          await rebuildBatch(batch);
        } catch (error) {
          failures.push(error);
          for (const { id } of batch) changedGates.add(id);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Splits gates into batches of at most `MAX_BATCH` gates and `MAX_BATCH_ORDERS` orders. */
function toBatches(coupons: readonly LedgerGate[]): LedgerGate[][] {
  const batches: LedgerGate[][] = [];
  let orders = 0;
  for (const coupon of coupons) {
    const last = batches.at(-1);
    orders += coupon.sold;
    if (last && last.length < MAX_BATCH && orders <= MAX_BATCH_ORDERS) last.push(coupon);
    else {
      batches.push([coupon]);
      orders = coupon.sold;
    }
  }
  return batches;
}
