import type { Command } from './batch';
import { hasGeneration } from './generations';
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

/**
 * Returns the units of a call that it does not keep, or charges those above its cost. Returns false if nothing changes: its
 * reservation is no longer held, or the generations of its levels have ended.
 */
export function settleCall(memory: Memory, { levels, clock, cost: kept, otherKeys }: Command): boolean {
  const reservationKey = otherKeys.at(-1) ?? '';
  const reservation = memory.reservations.get(reservationKey);
  if (!reservation) return false;
  const states = levels.map((level) => readState(memory, level));
  memory.reservations.delete(reservationKey);
  if (clock >= reservation.endsAt) return false;
  const charged = reservation.charges.filter(({ at }) => at > 0);
  const settled = reservation.charges.filter(({ at, generation }, index) => {
    const level = levels[index];
    const present = memory.generations.get(otherKeys[index] ?? '');
    if (!level || at === 0 || !hasGeneration(level, present, generation)) return false;
    const state = states[index];
    if (state !== undefined && level.algorithm.hasOtherNumbers?.(state, level.numbers)) return false;
    settleLevel(memory, { level, state }, { at, kept, clock, reserved: reservation.cost });
    return true;
  });
  return settled.length > 0 || charged.length === 0;
}

/** The most units that a window holds, so that a state can hold the overruns of all settlings. */
const MAX_USED = 10_000_000;

function settleLevel(
  memory: Memory,
  { level, state }: { level: Command['levels'][number]; state: unknown },
  { at, kept, clock, reserved }: { at: number; kept: number; clock: number; reserved: number },
): void {
  const { algorithm, numbers } = level;
  if (kept < reserved) {
    const refund = { ...numbers, clock, at, units: reserved - kept, reserved };
    if (state !== undefined) writeState(memory, level, { state: algorithm.refund?.(state, refund) });
    return;
  }
  const call = { ...numbers, clock, leaseId: '' };
  const { used } = algorithm.read(state, { ...call, cost: 0 });
  const room = (algorithm.maxUsed?.(numbers) ?? MAX_USED) - used;
  // 0 if the call keeps what it reserved.
  const overrun = Math.min(kept - reserved, numbers.limit, room);
  if (overrun > 0) writeState(memory, level, algorithm.charge(state, { ...call, cost: overrun }));
}
