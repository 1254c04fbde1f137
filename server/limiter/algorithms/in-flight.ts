import type { LevelCall, Reading, StateAlgorithm, Written } from './algorithm';

/** A call that runs until `end` at the latest. */
interface Lease {
  end: number;
  id: string;
}

/** The leases, the first to end first. */
export type LeasesState = readonly Lease[];

/** Calls that run at the same time. Decides like lua/limiter/in-flight.lua. */
export const inFlight: StateAlgorithm<LeasesState> = {
  read: (leases, call) => readingOf(heldLeases(leases, call), call),

  charge(leases, call) {
    const written = withLease(heldLeases(leases, call), call);
    return { ...written, reading: readingOf(written.state, call) };
  },

  release(leases, call) {
    const others = withoutLease(leases, call);
    return others && (others.length > 0 ? toWritten(others, call) : undefined);
  },

  renew(leases, call) {
    const others = withoutLease(leases, call);
    return others && withLease(others, call);
  },
};

function readingOf(held: LeasesState, { clock, limit }: LevelCall): Reading {
  const used = held.length;
  const untilEnd = (lease: Lease | undefined) => (lease ? lease.end - clock : 0);
  const retryAfterMs = used < limit ? 0 : untilEnd(held[used - limit]);
  return { now: clock, used, retryAfterMs, resetMs: untilEnd(held[0]) };
}

function heldLeases(leases: LeasesState = [], { clock }: LevelCall): LeasesState {
  return leases.filter(({ end }) => end > clock);
}

/** Returns the other leases, or `false` if the lease of the call is not held. */
function withoutLease(leases: LeasesState, call: LevelCall): LeasesState | false {
  const held = heldLeases(leases, call);
  const index = held.findIndex(({ id }) => id === call.leaseId);
  return index >= 0 && held.toSpliced(index, 1);
}

function withLease(held: LeasesState, call: LevelCall): Written<LeasesState> {
  const lease = { end: call.clock + call.windowMs, id: call.leaseId };
  const earlier = held.filter(({ end }) => end <= lease.end);
  const later = held.filter(({ end }) => end > lease.end);
  return toWritten([...earlier, lease, ...later], call);
}

function toWritten(state: LeasesState, { clock }: LevelCall): Written<LeasesState> {
  return { state, ttlMs: (state.at(-1)?.end ?? clock) - clock };
}
