import type { Reading, StateAlgorithm } from '../../algorithms/algorithm';
import { isPseudonym } from '../../policy/pseudonym';
import type { StoreCommand, StoreLevel } from '../store';
import { algorithms, type Generation, type Memory, readState, writeState } from './memory';

/** The longest lease of a reservation. */
const MAX_LEASE_MS = 60 * 60 * 1000;
/** The most units that a window holds, so that a state can hold the overruns of all settlings. */
const MAX_USED = 10_000_000;
/** The end of the key of a reservation, which is the id of a generation that its call begins. */
const ID_CHARACTERS = 12;

/** A level of a call, and its index in the policy. */
interface CalledLevel {
  level: StoreLevel;
  index: number;
}

/** Stores the reservation of a call that is about to be charged. */
export function reserve(
  memory: Memory,
  { policyArgs: { reserveMs }, reservationKey = '', keys, cost }: StoreCommand,
  call: { levels: readonly (CalledLevel & { refuses: boolean; reading: Reading })[]; clock: number },
): void {
  const { levels, clock } = call;
  if (reserveMs === undefined) return;
  const newId = reservationKey.slice(-ID_CHARACTERS);
  const endsAt = clock + reserveMs;
  const charges = levels.map(({ level, index, refuses, reading }) => {
    if (refuses || !algorithms[level.algorithm].refund) return { at: 0, generation: undefined };
    const key = keys.generation(index);
    return { at: reading.now, generation: joinGeneration(memory, level, { key, newId, endsAt, reserveMs }) };
  });
  memory.reservations.set(reservationKey, { endsAt, cost, charges }, reserveMs);
}

/** Returns the numbers that end a generation when they change; '' for a log. */
function numbersOf({ algorithm, limit, windowMs, isPersonal }: StoreLevel): string {
  if (algorithm === 'sliding-log') return '';
  const isBucket = algorithms[algorithm].hasOtherNumbers !== undefined;
  return `${isPersonal && !isBucket ? '*' : limit} ${windowMs}`;
}

/**
 * Returns the id of the generation of a level that a call is about to charge; `undefined` without one. Begins a generation if
 * the numbers have changed. Like lua/limiter/settle.lua.
 */
function joinGeneration(
  { generations }: Memory,
  level: StoreLevel,
  { key, newId, endsAt, reserveMs }: { key: string; newId: string; endsAt: number; reserveMs: number },
): string | undefined {
  const former = generations.get(key);
  if (level.algorithm === 'sliding-log' && level.shared === undefined) return former?.id;
  const numbers = numbersOf(level);
  const isSame = former?.numbers === numbers;
  if (isSame && former.reservedUntil >= endsAt) return former.id;
  const id = isSame ? former.id : newId;
  const reservedUntil = Math.max(former?.reservedUntil ?? 0, endsAt + reserveMs);
  generations.set(key, { id, reservedUntil, numbers }, Math.max(generations.ttlOf(key), 2 * reserveMs));
  return id;
}

/** Returns true if a level still has the generation of a charge. */
function hasGeneration(level: StoreLevel, present: Generation | undefined, id?: string): boolean {
  return !present || (present.id === id && present.numbers === numbersOf(level));
}

/** Returns true if a settling by another policy may end a wait on the shared level of a call that does not reserve. */
export function isReservedByOthers(
  { generations }: Memory,
  { policyArgs: { kind, levels, levelIndexes, reserveMs }, keys }: StoreCommand,
  clock: number,
): boolean {
  if (kind !== 'decide' || reserveMs !== undefined) return false;
  const index = levelIndexes[levels.findIndex(({ shared }) => shared !== undefined)];
  return index !== undefined && (generations.get(keys.generation(index))?.reservedUntil ?? 0) > clock;
}

/** Empties the window of one subject at one level, and ends its generation. */
export function clearWindow(
  { states, generations }: Memory,
  { level, generation }: { level: string; generation: string },
  id: string,
): void {
  generations.set(generation, { id, reservedUntil: 0, numbers: '' }, MAX_LEASE_MS);
  states.delete(level);
}

/** Empties the windows whose keys begin with one of these texts, up to the pseudonym. Ends their generations by an id, if any. */
export function resetWindows(memory: Memory, starts: readonly string[], id: string): void {
  for (const level of memory.states.keys()) {
    const start = starts.find((one) => level.startsWith(one) && isPseudonym(level.slice(one.length)));
    if (start === undefined) continue;
    if (id === '') memory.states.delete(level);
    else clearWindow(memory, { level, generation: `${level}:generation` }, id);
  }
}

/**
 * Returns the units of a call that it does not keep, or charges those above its cost. Returns false if nothing changes: its
 * reservation is no longer held, or the generations of its levels have ended.
 */
export function settleCall(memory: Memory, command: StoreCommand, clock: number): boolean {
  const { policyArgs, keys, cost: kept, reservationKey = '' } = command;
  const reservation = memory.reservations.get(reservationKey);
  if (!reservation) return false;
  const levels = calledLevels(memory, command);
  memory.reservations.delete(reservationKey);
  if (clock >= reservation.endsAt) return false;
  const charged = reservation.charges.filter(({ at }) => at > 0);
  const settled = reservation.charges.filter(({ at, generation }, position) => {
    const called = levels[position];
    if (!called || at === 0) return false;
    const { level, algorithm, state } = called;
    const present = memory.generations.get(keys.generation(policyArgs.levelIndexes[position] ?? 0));
    if (!hasGeneration(level, present, generation)) return false;
    if (state !== undefined && algorithm.hasOtherNumbers?.(state, level)) return false;
    settleLevel(memory, called, { at, kept, clock, reserved: reservation.cost });
    return true;
  });
  return settled.length > 0 || charged.length === 0;
}

interface LoadedLevel {
  level: StoreLevel;
  key: string;
  algorithm: StateAlgorithm<unknown>;
  state: unknown;
}

/** Reads the levels of a command on a former call. */
function calledLevels(memory: Memory, { policyArgs, keys }: StoreCommand): LoadedLevel[] {
  return policyArgs.levels.map((level, position) => {
    const algorithm = algorithms[level.algorithm];
    const key = keys.level(policyArgs.levelIndexes[position] ?? 0);
    return { level, key, algorithm, state: readState(memory, { key, algorithm }) };
  });
}

function settleLevel(
  memory: Memory,
  { state, level, ...stored }: LoadedLevel,
  { at, kept, clock, reserved }: { at: number; kept: number; clock: number; reserved: number },
): void {
  const { algorithm } = stored;
  if (kept < reserved) {
    const refund = { ...level, clock, at, units: reserved - kept, reserved };
    if (state !== undefined) writeState(memory, stored, { state: algorithm.refund?.(state, refund) });
    return;
  }
  const call = { ...level, clock, leaseId: '' };
  const { used } = algorithm.read(state, { ...call, cost: 0 });
  const room = (algorithm.maxUsed?.(level) ?? MAX_USED) - used;
  // 0 if the call keeps what it reserved.
  const overrun = Math.min(kept - reserved, level.limit, room);
  if (overrun > 0) writeState(memory, stored, algorithm.charge(state, { ...call, cost: overrun }));
}

/** Releases or renews the lease of a call on all its levels. Returns false if none holds it. */
export function changeLease(
  memory: Memory,
  command: StoreCommand,
  { kind, clock }: { kind: 'release' | 'renew'; clock: number },
): boolean {
  let isHeld = false;
  for (const { level, state, ...stored } of calledLevels(memory, command)) {
    const change = stored.algorithm[kind];
    if (state === undefined || !change) continue;
    const written = change(state, { ...level, clock, cost: 0, leaseId: command.leaseId ?? '' });
    if (written === false) continue;
    writeState(memory, stored, written);
    isHeld = true;
  }
  return isHeld;
}
