import type { SpendOptions } from './unit-batches';

interface WaitingCall<Outcome> extends SpendOptions {
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

/** The calls that wait for units of a level, in order. */
export interface WaitingCalls<Outcome> {
  /** Adds a call. Resolves with its outcome. */
  add(call: SpendOptions): Promise<Outcome>;
  first(): SpendOptions | undefined;
  /** Returns the units that all of them need. */
  units(): number;
  /** Returns the costs of the last calls that need at least as many units. */
  lastCosts(units: number): number[];
  /** Ends the first calls, up to the one that has no outcome yet. */
  serve(decide: (call: SpendOptions) => Outcome | undefined): void;
  /** Refuses the first call of a cost. Returns false if there is none. */
  refuse(cost: number, refusal: Outcome): boolean;
  /** Rejects the first calls until the others need at most as many units. */
  rejectDownTo(units: number, error: unknown): void;
}

/** Creates the waiting calls of a level, none at first. */
export function createWaitingCalls<Outcome>(): WaitingCalls<Outcome> {
  const calls: WaitingCall<Outcome>[] = [];
  let needed = 0;

  function remove(index: number): WaitingCall<Outcome> | undefined {
    const [call] = calls.splice(index, 1);
    needed -= call?.cost ?? 0;
    return call;
  }

  return {
    add: (call) =>
      new Promise((resolve, reject) => {
        calls.push({ ...call, resolve, reject });
        needed += call.cost;
      }),
    first: () => calls[0],
    units: () => needed,
    lastCosts(units) {
      const costs: number[] = [];
      for (let index = calls.length - 1, missing = units; missing > 0 && index >= 0; index -= 1) {
        const { cost } = calls[index] as WaitingCall<Outcome>;
        missing -= cost;
        costs.unshift(cost);
      }
      return costs;
    },
    serve(decide) {
      for (let next = calls[0]; next; next = calls[0]) {
        const outcome = decide(next);
        if (!outcome) return;
        remove(0)?.resolve(outcome);
      }
    },
    refuse(cost, refusal) {
      const index = calls.findIndex((call) => call.cost === cost);
      if (index < 0) return false;
      remove(index)?.resolve(refusal);
      return true;
    },
    rejectDownTo(units, error) {
      while (needed > units) remove(0)?.reject(error);
    },
  };
}
