import { StoreUnavailableError } from '../stores/store-error';
import { type BatchOptions, createUnitBatches, type SpendOptions, type UnitBatch } from './unit-batches';
import { createWaitingCalls, type WaitingCall } from './waiting-calls';

/** The reply of the store to the taking of units. */
export interface TakeReply {
  admitted: boolean;
  /** Epoch ms by the store's clock. */
  now: number;
  /** Units in the window of `windowMs + forMs`, with those that were taken. */
  used: number;
  /** Of a refusal, the time until the level admits as many units; else until it admits one. */
  retryAfterMs: number;
  resetMs: number;
}

/** The refusal of a call by a leased level. */
export interface LeaseRefusal {
  retryAfterMs: number;
}

/** The state of a level as this node knows it. Leased units count as used. */
export interface LeaseState {
  /** Epoch ms by the store's clock. */
  now: number;
  used: number;
  resetMs: number;
  /** Units that this node holds and has not spent. */
  idle: number;
}

export interface UnitLeaseOptions extends BatchOptions {
  limit: number;
  /** The most units of a batch that no call waits for. */
  maxUnits: number;
  /** Takes units by one command, or none. Rejects with `StoreUnavailableError`; the units may stay charged then. */
  take: (units: number, reservationKey: string) => Promise<TakeReply>;
  createReservationKey: () => string;
}

/** The units of one level and subject that a node holds. */
export interface UnitLease {
  /** Spends units that the node holds; a refusal if the level is known to be full; `undefined` if the store must be called. */
  spend(options: SpendOptions): UnitBatch | LeaseRefusal | undefined;
  /**
   * Spends units as soon as the store has granted them. Rejects with `StoreUnavailableError`. A call whose caller no longer
   * waits (`isOver`) spends none and may never settle.
   */
  acquire(options: SpendOptions, isOver: () => boolean): Promise<UnitBatch | LeaseRefusal>;
  /** Returns the refusal of a call if the level is known to be full and the node holds no units for it. Spends nothing. */
  findRefusal(options: SpendOptions): LeaseRefusal | undefined;
  /** Returns the units of a call that another level refused to their batch. They are lost if it has ended. */
  unspend(batch: UnitBatch, cost: number): void;
  state(): LeaseState;
  /** Ends all batches and gives their units back, also those that are still on their way. A call that waits still gets units. */
  end(): Promise<void>;
}

/** A command for units, with the times at which it was sent. */
interface SentCommand {
  units: number;
  /** The calls that it decides. None waits for units that are taken ahead. */
  calls: readonly WaitingCall<UnitBatch | LeaseRefusal>[];
  reservationKey: string;
  sentAt: number;
  sentAtWall: number;
}

/** A batch leaves three quarters of the free units to other nodes. */
const ROOM_PART = 0.25;
/** The next batch is taken this many replies of the store before the present one ends or is spent. */
const REPLIES_AHEAD = 1.5;
const TICK_MS = 5;
/** A node holds the units of this part of a lease and of one reply, so that they are spent before their batches end. */
const HELD_PART = 0.5;
/** A node that holds this part of its units or more takes none, so that a batch is worth its command. */
const MAX_LOW_PART = 0.75;

/**
 * Creates the lease of one level and subject: a node takes units in batches and spends them in process.
 *
 * The store charges the level in windows of `windowMs + forMs`. A unit that it charged at t is spent before t + forMs, so the
 * units that are spent in a window of `windowMs` were all charged in one window of `windowMs + forMs`: at most the limit. A
 * batch lasts from before its command was sent, so neither the way to the store nor that of the reply matters.
 *
 * Longer than 50 lines because its functions share the batches.
 */
export function createUnitLease(options: UnitLeaseOptions): UnitLease {
  const { limit, forMs, maxUnits, clocks, take, createReservationKey } = options;
  const { monotonic, wall } = clocks;
  const batches = createUnitBatches(options);
  const rate = createRate({ forMs, monotonic });
  const waiting = createWaitingCalls({
    decide: (call) => batches.spend(call) ?? findDenial(call.cost),
    room: () => room,
    take: takeUnits,
    onSent: () => void takeAhead(),
  });
  let takingAhead: Promise<unknown> | undefined;
  let isEnded = false;
  /** Free units by the last reply of the store, without those of commands that were sent since. */
  let room = limit;
  // From the last reply of the store.
  let replyMs = 0;
  let seen = { now: 0, used: 0, resetMs: 0, at: 0 };
  let denial: { cost: number; opensAt: number; trustedUntil: number } | undefined;
  /** The next batch is taken when the node holds fewer units, or this margin before this time. */
  let lowUnits = 0;
  let refillAt = Number.POSITIVE_INFINITY;
  /** Of the last call. */
  let marginMs = 0;

  function findDenial(cost: number): LeaseRefusal | undefined {
    const now = monotonic();
    if (denial?.cost !== cost || now >= denial.trustedUntil) return undefined;
    return { retryAfterMs: Math.max(1, Math.ceil(denial.opensAt - now)) };
  }

  /** Returns the units that the node should hold when no call waits. */
  function unitsAhead(): number {
    return Math.min(rate.perMs() * (forMs * HELD_PART + replyMs), room * ROOM_PART, maxUnits);
  }

  /** Adds what a command for units took, and settles its calls. Returns a refusal. */
  function onReply(command: SentCommand, reply: TakeReply): LeaseRefusal | undefined {
    const { units, calls, sentAt } = command;
    const { admitted, now, used, retryAfterMs, resetMs } = reply;
    const repliedAt = monotonic();
    replyMs = repliedAt - sentAt;
    room = limit - used;
    seen = { now, used, resetMs, at: repliedAt };
    if (admitted || calls.length === 1) {
      // Refunds of other nodes free units earlier.
      const trustedUntil = sentAt + Math.min(retryAfterMs, forMs);
      denial = { cost: admitted ? 1 : units, opensAt: repliedAt + retryAfterMs, trustedUntil };
    }
    if (!admitted) return { retryAfterMs };
    batches.add(command);
    for (const call of calls) {
      const batch = call.isOver() ? undefined : batches.spend(call);
      if (batch) call.resolve(batch);
      else call.reject(tooLate());
    }
    return undefined;
  }

  /** Takes units by one command, for calls or ahead of them. Returns a refusal; else it has settled the calls. */
  async function takeUnits(units: number, calls: SentCommand['calls']): Promise<LeaseRefusal | undefined> {
    room -= units;
    const reservationKey = createReservationKey();
    const command = { units, calls, reservationKey, sentAt: monotonic(), sentAtWall: wall() };
    let refusal: LeaseRefusal | undefined;
    try {
      refusal = onReply(command, await take(units, reservationKey));
    } catch (error) {
      for (const call of calls) call.reject(error);
    }
    if (isEnded) await batches.end();
    return refusal;
  }

  /** Takes the units of the calls that come next, if they are worth a command. */
  async function takeAhead(): Promise<void> {
    if (takingAhead) return;
    batches.sweep();
    rate.measure();
    const held = batches.unitsInTime({ perMs: rate.perMs(), marginMs });
    const units = Math.floor(unitsAhead() - held);
    if (units > 1) {
      takingAhead = takeUnits(units, []);
      await takingAhead;
      takingAhead = undefined;
    }
    planRefill();
  }

  /** Sets when the next batch is taken before a call waits for it: never where a batch would have one unit or none. */
  function planRefill(): void {
    const aheadMs = REPLIES_AHEAD * replyMs + TICK_MS;
    const lastEnd = batches.lastEnd();
    const isWorthIt = lastEnd !== undefined && unitsAhead() > 1;
    lowUnits = isWorthIt ? Math.min(rate.perMs() * aheadMs, unitsAhead() * MAX_LOW_PART) : 0;
    refillAt = isWorthIt ? lastEnd - aheadMs : Number.POSITIVE_INFINITY;
  }

  return {
    spend(call) {
      rate.add(call.cost);
      marginMs = call.marginMs;
      const batch = waiting.hasUnsent() ? undefined : batches.spend(call);
      if (!batch) return findDenial(call.cost);
      if (monotonic() >= refillAt - marginMs || batches.idleUnits() < lowUnits) void takeAhead();
      return batch;
    },
    findRefusal: (call) => (batches.has(call) ? undefined : findDenial(call.cost)),
    acquire: waiting.add,
    unspend: batches.unspend,
    state() {
      const elapsedMs = monotonic() - seen.at;
      return {
        now: Math.floor(seen.now + elapsedMs),
        used: seen.used,
        resetMs: Math.max(0, Math.ceil(seen.resetMs - elapsedMs)),
        idle: batches.idleUnits(),
      };
    },
    async end() {
      isEnded = true;
      await Promise.all([batches.end(), waiting.end(), takingAhead]);
    },
  };
}

/** The rate follows the calls within about this part of a lease. */
const RATE_PART = 0.2;

/** Creates the measurement of the units that the calls of a node request, also those that are refused. */
function createRate({ forMs, monotonic }: { forMs: number; monotonic: () => number }) {
  let perMs = 0;
  let requested = 0;
  let measuredAt = monotonic();
  return {
    add(units: number) {
      requested += units;
    },
    /** Moves the rate towards that since the last measurement, the closer the longer it lasted. */
    measure() {
      const now = monotonic();
      const elapsedMs = now - measuredAt;
      if (elapsedMs <= 0) return;
      perMs += (requested / elapsedMs - perMs) * (1 - Math.exp(-elapsedMs / (RATE_PART * forMs)));
      requested = 0;
      measuredAt = now;
    },
    perMs: () => perMs,
  };
}

/** The error of calls whose units came too late to be spent. */
function tooLate(): StoreUnavailableError {
  return new StoreUnavailableError('the units of the store came too late to be spent', { kind: 'timeout' });
}
