import { runAfterReplies, runInMicrotask } from '../stores/event-loop';
import type { SpendOptions } from './unit-batches';

/** A call that waits for units. */
export interface WaitingCall<Outcome> extends SpendOptions {
  /** Returns true if the caller no longer waits. */
  isOver: () => boolean;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

/** The calls that wait for units of a level, in order. */
export interface WaitingCalls<Outcome> {
  /** Adds a call. Resolves with its outcome. */
  add(call: SpendOptions, isOver: () => boolean): Promise<Outcome>;
  /** Returns true if a call waits to be sent. */
  hasUnsent(): boolean;
  /** Resolves when no call waits. */
  end(): Promise<void>;
}

/** The most calls of a round with commands of their own. With that of the others, they fill one batch of commands. */
const MAX_OWN_COMMANDS = 31;

/** Creates the waiting calls of a level, none at first. Those of a tick are sent in one round. */
export function createWaitingCalls<Outcome>(parts: {
  /** Returns the outcome of a call that needs no command. */
  decide: (call: SpendOptions) => Outcome | undefined;
  /** Returns the free units of the level. */
  room: () => number;
  /** Takes the units of calls by one command. Returns a refusal; else it has settled the calls. */
  take: (units: number, calls: readonly WaitingCall<Outcome>[]) => Promise<Outcome | undefined>;
  /** Called after each round. */
  onSent: () => void;
}): WaitingCalls<Outcome> {
  const { decide, room, take, onSent } = parts;
  let unsent: WaitingCall<Outcome>[] = [];
  const rounds = new Set<Promise<void>>();
  let isPlanned = false;

  function planRound(): void {
    if (isPlanned) return;
    isPlanned = true;
    const planned = new Promise<void>(rounds.size === 0 ? runInMicrotask : runAfterReplies);
    const round = planned.then(sendRound).finally(() => rounds.delete(round));
    rounds.add(round);
  }

  /** Returns the calls that need a command. Settles the others. */
  function takeUnsent(): WaitingCall<Outcome>[] {
    const calls = unsent;
    unsent = [];
    return calls.filter((call) => {
      if (call.isOver()) return false;
      const outcome = decide(call);
      if (outcome) call.resolve(outcome);
      return !outcome;
    });
  }

  /**
   * Takes the units of the calls of a round. Few take their own, so that each is decided by itself. Of many, the last ones and
   * the first of each cost do, and as many of the others as have room share one command. Those without room, or whose shared
   * command was refused, are refused with a call of their cost, or join a later round.
   */
  async function sendRound(): Promise<void> {
    isPlanned = false;
    const calls = takeUnsent();
    const own: WaitingCall<Outcome>[] = [];
    const shared: WaitingCall<Outcome>[] = [];
    let held: WaitingCall<Outcome>[] = [];
    const refusals = new Map<number, Outcome | undefined>();
    let units = 0;
    for (const [index, call] of calls.entries()) {
      const { cost } = call;
      if (calls.length - index < MAX_OWN_COMMANDS || !refusals.has(cost)) own.push(call);
      else if (units + cost > room()) held.push(call);
      else {
        units += cost;
        shared.push(call);
      }
      refusals.set(cost, undefined);
    }
    const sharing = shared.length > 0 ? take(units, shared) : undefined;
    const taking = own.map(async (call) => {
      const refusal = await take(call.cost, [call]);
      if (!refusal) return;
      call.resolve(refusal);
      refusals.set(call.cost, refusal);
    });
    onSent();
    if (await sharing) held = [...shared, ...held];
    await Promise.all(taking);
    for (const call of held) {
      const refusal = refusals.get(call.cost);
      if (refusal) call.resolve(refusal);
      else unsent.push(call);
    }
    if (unsent.length > 0) planRound();
  }

  return {
    add: (call, isOver) =>
      new Promise((resolve, reject) => {
        unsent.push({ ...call, isOver, resolve, reject });
        planRound();
      }),
    hasUnsent: () => unsent.length > 0,
    async end() {
      while (rounds.size > 0) await Promise.all(rounds);
    },
  };
}
