/** Units that this node took from a level by one command, to spend in process. */
export interface UnitBatch {
  /** The key of the reservation in the store, by which unspent units return once. */
  readonly reservationKey: string;
  readonly taken: number;
  /** Units that are not spent. */
  left: number;
  /** Ends by the monotonic and by the wall clock. The first of both ends the batch. */
  readonly endsAt: number;
  readonly endsAtWall: number;
}

/**
 * The clocks of a node, in ms. The wall clock shows the time for which the machine was suspended, in which the monotonic
 * clock stands still.
 */
export interface LeaseClocks {
  monotonic: () => number;
  wall: () => number;
}

/** The units that a call needs. */
export interface SpendOptions {
  /** Units of the call. */
  cost: number;
  /** The time for which the batch of the units must last after now: the timeout of the call's other levels. */
  marginMs: number;
}

export interface BatchOptions {
  /** The longest time from the taking of a unit to its spending. */
  forMs: number;
  clocks: LeaseClocks;
  /** Returns all units of a batch but `kept` to the store. Does not throw. */
  giveBack: (reservationKey: string, kept: number) => Promise<void>;
}

/** The batches that a node holds of one level and subject. */
export interface UnitBatches {
  /** Adds units that were taken by a command that was sent at these times. */
  add(granted: { reservationKey: string; units: number; sentAt: number; sentAtWall: number }): UnitBatch;
  /** Spends units of the first batch that has enough and lasts long enough. */
  spend(options: SpendOptions): UnitBatch | undefined;
  /** Returns true if `spend` would find units. */
  has(options: SpendOptions): boolean;
  /** Returns units to their batch. They are lost if it has ended. */
  unspend(batch: UnitBatch, cost: number): void;
  /** Returns the units that are not spent. */
  idleUnits(): number;
  /** Returns the idle units that calls at this rate spend while their batches last for `marginMs` more. */
  unitsInTime(rate: { perMs: number; marginMs: number }): number;
  /** Returns the end of the batch that ends last, by the monotonic clock; `undefined` without one. */
  lastEnd(): number | undefined;
  /** Ends the batches whose time is over. */
  sweep(): void;
  /** Ends all batches, also those that are added later, and gives their units back. */
  end(): Promise<void>;
}

/** A node's clock may run slower than that of the store by 1 in 1,000. */
const CLOCK_RATE = 0.999;

/** Creates the batches of one level and subject, none at first. A timer ends them. */
export function createUnitBatches({ forMs, clocks, giveBack }: BatchOptions): UnitBatches {
  const { monotonic, wall } = clocks;
  /** Those with units, the first to end first. */
  let batches: UnitBatch[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isEnded = false;

  const lasts = ({ endsAt, endsAtWall }: UnitBatch, ms: number) =>
    monotonic() + ms < endsAt && wall() + ms < endsAtWall;

  const find = ({ cost, marginMs }: SpendOptions) =>
    batches.find((batch) => batch.left >= cost && lasts(batch, marginMs));

  function insert(batch: UnitBatch): void {
    const index = batches.findLastIndex(({ endsAt }) => endsAt <= batch.endsAt) + 1;
    batches.splice(index, 0, batch);
    if (index === 0) startTimer();
  }

  function startTimer(): void {
    clearTimeout(timer);
    const [first] = batches;
    if (!first) return;
    timer = setTimeout(sweep, Math.max(1, first.endsAt - monotonic()));
    // A number on other runtimes than Node.
    timer.unref?.();
  }

  /** Ends the batches that do not last, and gives their units back. */
  async function endBatches(doesLast: (batch: UnitBatch) => boolean): Promise<void> {
    const ended = batches.filter((batch) => !doesLast(batch));
    batches = batches.filter((batch) => !ended.includes(batch));
    startTimer();
    await Promise.all(ended.map(({ reservationKey, taken, left }) => giveBack(reservationKey, taken - left)));
  }

  function sweep(): void {
    void endBatches((batch) => lasts(batch, 0));
  }

  return {
    add({ reservationKey, units, sentAt, sentAtWall }) {
      const batch = {
        reservationKey,
        taken: units,
        left: units,
        endsAt: sentAt + CLOCK_RATE * forMs,
        endsAtWall: sentAtWall + forMs,
      };
      insert(batch);
      return batch;
    },
    spend(options) {
      const batch = find(options);
      if (!batch) return undefined;
      batch.left -= options.cost;
      if (batch.left === 0) batches = batches.filter((one) => one !== batch);
      return batch;
    },
    has: (options) => find(options) !== undefined,
    unspend(batch, cost) {
      const isHeld = batches.includes(batch);
      if (isEnded || !lasts(batch, 0) || (batch.left > 0 && !isHeld)) return;
      batch.left += cost;
      if (!isHeld) insert(batch);
    },
    idleUnits: () => batches.reduce((sum, { left }) => sum + left, 0),
    unitsInTime({ perMs, marginMs }) {
      const now = monotonic();
      return batches.reduce(
        (units, { left, endsAt }) =>
          Math.max(units, Math.min(units + left, perMs * (endsAt - now - marginMs))),
        0,
      );
    },
    lastEnd: () => batches.at(-1)?.endsAt,
    sweep,
    end() {
      isEnded = true;
      return endBatches(() => false);
    },
  };
}
