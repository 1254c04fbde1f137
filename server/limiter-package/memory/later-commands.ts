import type { Command } from './batch';
import { readState, writeState } from './level-state';
import type { Memory } from './memory';

/** Releases or renews the lease of a call on all its levels. Returns false if none holds it. */
export function changeLease(
  memory: Memory,
  { levels, clock, args: [leaseId = ''] }: Command,
  kind: 'release' | 'renew',
): boolean {
  let isHeld = false;
  for (const level of levels) {
    const state = readState(memory, level);
    const change = level.algorithm[kind];
    if (state === undefined || !change) continue;
    const written = change(state, { ...level.numbers, clock, cost: 0, leaseId });
    if (written === false) continue;
    writeState(memory, level, written);
    isHeld = true;
  }
  return isHeld;
}

/** Returns the units of a call that it does not keep. Returns false if its reservation is no longer held. */
export function settleCall(memory: Memory, { levels, clock, cost: kept, otherKeys }: Command): boolean {
  const [reservationKey = ''] = otherKeys;
  const reservation = memory.reservations.get(reservationKey);
  if (!reservation) return false;
  const states = levels.map((level) => readState(memory, level));
  memory.reservations.delete(reservationKey);
  if (clock >= reservation.endsAt) return false;
  const units = reservation.cost - kept;
  for (const [index, level] of levels.entries()) {
    const at = reservation.chargedAt[index] ?? 0;
    const state = states[index];
    if (at === 0 || units <= 0 || state === undefined || !level.algorithm.refund) continue;
    const refund = { ...level.numbers, clock, at, units, reserved: reservation.cost };
    writeState(memory, level, { state: level.algorithm.refund(state, refund) });
  }
  return true;
}
