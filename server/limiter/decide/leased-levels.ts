import { lru } from 'tiny-lru';
import { createRandomId } from '../crypto';
import { getOrCreate } from '../get-or-create';
import type { EffectiveLevel, EffectivePolicy } from '../policy/overrides';
import { createReject, type Reject } from '../policy/validate-policy';
import { areRequestsIsolated } from '../stores/event-loop';
import { ignoreOutage } from '../stores/store-error';
import type { SendCommand } from './batcher';
import type { LeasedLevel } from './call-levels';
import {
  type Admitted,
  type Decision,
  type Denied,
  type LevelState,
  refuseBy,
  toLevelState,
} from './decision';
import type { CallKeys } from './key';
import type { PreparedCall } from './prepared-call';
import type { SpendOptions, UnitBatch } from './unit-batches';
import { createUnitLease, type LeaseRefusal, type UnitLease } from './unit-lease';

/** The units that a call has spent on leased levels. */
interface SpentUnits {
  units: { lease: UnitLease; batch: UnitBatch }[];
  /** The states of the enforced leased levels, in checking order. */
  states: LevelState[];
  /** Names of the leased levels in mode `shadow` that would have refused. */
  shadowRefusals: string[];
  /** Epoch ms by the store's clock. */
  now: number;
}

/** The units of a leased level that a node holds. */
export interface LeasedUnits {
  policy: string;
  level: string;
  /** Units that are not spent, of all subjects. They count as used until they are given back. */
  idle: number;
}

/** The leased levels of a node: it decides them in process. */
export interface LeasedLevels {
  /**
   * Decides a call: spends units on its leased levels, then decides the others by `decideOthers`, if there are any. If a level
   * refuses, the units return. Returns at once what needs no store. Rejects with `StoreUnavailableError` if the store must
   * grant units and does not, or if `decideOthers` does: the units then stay spent, because the others may have admitted.
   */
  decide(call: PreparedCall, decideOthers: () => Promise<Decision>): Decision | Promise<Decision>;
  /** Returns the refusal of a call by a leased level that is known to be full. */
  findRefusal(call: PreparedCall): Denied | undefined;
  /** Returns the units that this node holds and has not spent, by level. */
  leasedUnits(): LeasedUnits[];
  /** Gives all units that are not spent back to the store. */
  end(): Promise<void>;
}

/** The leases of a level by subject. One that is evicted ends its batches by itself. */
const MAX_LEASES = 10_000;
/** The reservation of a batch outlasts it by one lease, in which its units can return. */
const LEASES_PER_RESERVATION = 2;

/** Creates the leased levels of a node. `clock` returns epoch ms in tests and simulations. */
export function createLeasedLevels(parts: {
  sendCommand: SendCommand;
  clock: (() => number) | undefined;
  timeoutMs: number;
}): LeasedLevels {
  const { sendCommand, clock, timeoutMs } = parts;
  const leases = lru<{ lease: UnitLease; level: EffectiveLevel; policy: string }>(MAX_LEASES);
  const clocks = {
    monotonic: clock ?? (() => performance.now()),
    wall: clock ?? (() => Date.now()),
  };

  /** Returns the lease of a level and subject. One with other numbers ends: its units were granted by the former limit. */
  function leaseOf({ policy, keys }: PreparedCall, { level, index }: LeasedLevel): UnitLease {
    const key = keys.level(index);
    const known = leases.get(key);
    if (known && hasSameNumbers(known.level, level)) return known.lease;
    void known?.lease.end();
    validateLease(policy.name, level);
    const lease = createLease(keys, { level, index });
    leases.set(key, { lease, level, policy: policy.name });
    return lease;
  }

  /** Throws a `PolicyError` if this limiter cannot lease a level. */
  function validateLease(policy: string, { level, lease: { forMs } }: LeasedLevel['level']): void {
    const reject: Reject = createReject(policy);
    if (areRequestsIsolated) {
      const fix =
        'Omit it here: a batch belongs to many requests, and this runtime keeps each request apart.';
      reject(`lease of level "${level}"`, forMs, fix);
    }
    if (forMs >= 2 * timeoutMs) return;
    const fix = `A batch must outlast the timeout of a call: use at least ${2 * timeoutMs}, twice the timeoutMs of the limiter.`;
    reject(`lease.forMs of level "${level}"`, forMs, fix);
  }

  function createLease(keys: CallKeys, { level, index }: LeasedLevel): UnitLease {
    const { limit, lease } = level;
    const { forMs, maxUnits } = lease;
    const key = keys.level(index);
    // The mode decides what a refusal means, not whether the level has units.
    const levels = [{ ...level, windowMs: level.windowMs + forMs, mode: 'enforce' as const }];
    const common = { levels, levelIndexes: [index] };
    const takeArgs = { ...common, kind: 'decide', reserveMs: LEASES_PER_RESERVATION * forMs } as const;
    const settleArgs = { ...common, kind: 'settle' } as const;
    return createUnitLease({
      limit,
      forMs,
      maxUnits,
      clocks,
      createReservationKey: () => `${key}:reservation:${createRandomId()}`,
      take: (units, reservationKey) =>
        sendCommand(
          { policyArgs: takeArgs, keys, cost: units, reservationKey },
          ({ now, outcome, levels: [state] }) => {
            if (!state) throw new TypeError('the store replied no level');
            const { used, retryAfterMs, resetMs } = state;
            return { admitted: outcome === 'admitted', now, used, retryAfterMs, resetMs };
          },
        ),
      async giveBack(reservationKey, kept) {
        const command = { policyArgs: settleArgs, keys, cost: kept, reservationKey };
        const giving = sendCommand(command, () => undefined);
        await ignoreOutage(giving, undefined);
      },
    });
  }

  function optionsOf({ callLevels, cost }: PreparedCall): SpendOptions {
    return { cost, marginMs: callLevels.levels.length > 0 ? timeoutMs : 0 };
  }

  /** Spends on the leased levels from the one at `from` on. */
  function spendFrom(
    call: PreparedCall,
    spent: SpentUnits,
    from: number,
  ): SpentUnits | Denied | Promise<SpentUnits | Denied> {
    const { leased } = call.callLevels;
    const options = optionsOf(call);
    for (let position = from; position < leased.length; position += 1) {
      const one = leased[position] as LeasedLevel;
      const lease = leaseOf(call, one);
      const outcome = lease.spend(options);
      if (!outcome) {
        return lease
          .acquire(options, () => call.isOver)
          .then((acquired) => {
            const refusal = addOutcome(call, spent, { level: one.level, lease, outcome: acquired });
            return refusal ?? spendFrom(call, spent, position + 1);
          });
      }
      const refusal = addOutcome(call, spent, { level: one.level, lease, outcome });
      if (refusal) return refusal;
    }
    return spent;
  }

  return {
    decide(call, decideOthers) {
      const spending = spendFrom(call, { units: [], states: [], shadowRefusals: [], now: 0 }, 0);
      if (!(spending instanceof Promise)) return decideAfter(call, spending, decideOthers);
      return spending.then((spent) => decideAfter(call, spent, decideOthers));
    },

    findRefusal(call) {
      for (const one of call.callLevels.leased) {
        if (one.level.mode !== 'enforce') continue;
        const lease = leases.get(call.keys.level(one.index));
        const refusal =
          lease && hasSameNumbers(lease.level, one.level) && lease.lease.findRefusal(optionsOf(call));
        if (refusal) return toRefusal(call, { level: one.level, lease: lease.lease, refusal });
      }
      return undefined;
    },

    leasedUnits() {
      const units = new Map<string, LeasedUnits>();
      for (const entry of leases.values()) {
        if (!entry) continue;
        const { policy, lease } = entry;
        const { level } = entry.level;
        const sum = getOrCreate(units, `${policy}:${level}`, () => ({ policy, level, idle: 0 }));
        sum.idle += lease.state().idle;
      }
      return [...units.values()];
    },

    async end() {
      const held = leases.values();
      leases.clear();
      await Promise.all(held.map((entry) => entry?.lease.end()));
    },
  };
}

function hasSameNumbers(one: EffectiveLevel, other: EffectiveLevel): boolean {
  return one.limit === other.limit && one.windowMs === other.windowMs && one.mode === other.mode;
}

/** Adds what one level replied. Returns the refusal of the call if an enforced level refuses; nothing stays spent then. */
function addOutcome(
  call: PreparedCall,
  spent: SpentUnits,
  { level, lease, outcome }: { level: EffectiveLevel; lease: UnitLease; outcome: UnitBatch | LeaseRefusal },
): Denied | undefined {
  const isEnforced = level.mode === 'enforce';
  if (!('retryAfterMs' in outcome)) spent.units.push({ lease, batch: outcome });
  else if (!isEnforced) spent.shadowRefusals.push(level.level);
  else {
    unspend(call, spent);
    return toRefusal(call, { level, lease, refusal: outcome });
  }
  const { now, used, resetMs } = lease.state();
  spent.now = Math.max(spent.now, now);
  if (isEnforced) spent.states.push(toLevelState(level, { used, resetMs, retryAfterMs: 0 }));
  return undefined;
}

/** Decides the levels of a call that are not leased, after it has spent its units. */
function decideAfter(
  call: PreparedCall,
  spent: SpentUnits | Denied,
  decideOthers: () => Promise<Decision>,
): Decision | Promise<Decision> {
  if ('allowed' in spent) return spent;
  if (call.callLevels.levels.length === 0) return admit(call.policy, spent);
  return decideOthers().then((decision) => {
    if (!decision.allowed) unspend(call, spent);
    return decision.allowed ? addSpent(call.policy, spent, decision) : decision;
  });
}

/** Returns the decision of a call without other levels. */
function admit({ name }: EffectivePolicy, { states, shadowRefusals, now }: SpentUnits): Admitted {
  return {
    policy: name,
    now,
    allowed: true,
    levels: states,
    shadowRefusals,
    degraded: false,
    replayed: false,
    delayMs: 0,
  };
}

/** Adds the states of the leased levels to a decision by the others, in checking order. */
function addSpent({ levels }: EffectivePolicy, spent: SpentUnits, others: Admitted): Admitted {
  const states = [...others.levels, ...spent.states];
  return {
    ...others,
    levels: levels.flatMap(({ level }) => states.filter((state) => state.level === level)),
    shadowRefusals: [...others.shadowRefusals, ...spent.shadowRefusals],
  };
}

/** Returns the units of a call to their batches, because another level refused it. */
function unspend({ cost }: PreparedCall, { units }: SpentUnits): void {
  for (const { lease, batch } of units) lease.unspend(batch, cost);
}

function toRefusal(
  { policy }: PreparedCall,
  { level, lease, refusal }: { level: EffectiveLevel; lease: UnitLease; refusal: LeaseRefusal },
): Denied {
  const { now, used, resetMs } = lease.state();
  const { retryAfterMs } = refusal;
  const state = toLevelState(level, { used, retryAfterMs, resetMs: Math.min(resetMs, retryAfterMs) });
  return refuseBy(state, { policy: policy.name, now, reason: 'limited' });
}
