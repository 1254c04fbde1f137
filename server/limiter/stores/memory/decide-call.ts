import type { LevelCall, Reading } from './algorithm';
import type { Command } from './batch';
import { type BucketState, emptyInMs } from './bucket';
import { joinGeneration } from './generations';
import { readState, writeState } from './level-state';
import type { ChargedId, Memory, Punishment } from './memory';
import { countViolation, readPunishment } from './punishments';
import { readQueuedLog } from './queue/queued-log';

/** One level of a call that is being decided. */
interface DecidedLevel {
  level: Command['levels'][number];
  call: LevelCall;
  reading: Reading;
  delayMs: number;
  refuses: boolean;
  /** Only of a level that punishes. */
  punished: (Punishment & { isDue: boolean; key: string; member: string }) | undefined;
}

/** A decided call. */
export interface DecidedCall {
  reply: string;
  isAdmitted: boolean;
  /** True if the level with the queue refused the call, and no other. */
  isRefusedByQueue: boolean;
}

/** Decides a call on all its levels: it is charged on all of them, or on none. */
export function decideCall(memory: Memory, command: Command): DecidedCall {
  const { policyArgs, clock, args, otherKeys } = command;
  const requestInput = args[policyArgs.punishing] ?? '';
  const charged =
    policyArgs.requestTtlMs === undefined ? undefined : memory.requestIds.get(otherKeys.at(-1) ?? '');
  const cost = charged ? 0 : command.cost;
  const levels = readLevels(memory, command, cost);

  const isAdmitted = !levels.some(({ level, refuses }) => refuses && !level.isShadow);
  const isBanned = levels.some(({ level, punished }) => !level.isShadow && (punished?.bannedUntil ?? 0) > 0);
  const now = Math.max(clock, ...levels.map(({ reading }) => reading.now));
  if (isAdmitted && cost > 0) {
    reserve(memory, command, levels);
    for (const one of levels) if (!one.refuses) charge(memory, one);
    recordRequest(memory, command, levels);
  }
  const bansKey = otherKeys[policyArgs.punishing] ?? '';
  for (const one of levels) {
    const { punishment } = one.level;
    const { punished } = one;
    if (!punishment || !punished?.isDue || isBanned) continue;
    const counted = countViolation(memory, punished, { ...punishment, ...punished, bansKey, clock });
    one.punished = { ...punished, ...counted };
  }
  if (charged) delayAsCharged(levels, charged, clock);

  const replay = charged?.input === requestInput ? 2 : 3;
  const outcome = charged ? replay : Number(isAdmitted);
  const settles = policyArgs.reserveMs === undefined && isReserved(memory, command);
  const numbers = levels.flatMap((one) => numbersOf(one, { clock, settles }));
  const hits = policyArgs.hits > 0 ? levels.flatMap((one) => hitsOf(memory, one, policyArgs.hits)) : [];
  const refusing = levels.filter(({ level, refuses }) => refuses && !level.isShadow);
  return {
    reply: [now, outcome, ...numbers, ...hits].join(' '),
    isAdmitted: outcome > 0,
    isRefusedByQueue: refusing.length > 0 && refusing.every(({ level }) => level.isQueued),
  };
}

function readLevels(memory: Memory, command: Command, cost: number): DecidedLevel[] {
  const { policyArgs, clock, args, otherKeys } = command;
  const leaseId = args[policyArgs.punishing + (policyArgs.requestTtlMs === undefined ? 0 : 1)] ?? '';
  let punishing = 0;
  return command.levels.map((level) => {
    const call = { ...level.numbers, clock, cost, leaseId };
    const state = readState(memory, level);
    const reading = readLevel(memory, command, { level, call, state });
    const isFull = cost > 0 && reading.retryAfterMs > 0;
    const delays = level.delays && reading.retryAfterMs === 0;
    const delayMs = delays ? emptyInMs(state as BucketState | undefined, call) : 0;
    if (!level.punishment) return { level, call, reading, delayMs, refuses: isFull, punished: undefined };
    const key = otherKeys[punishing] ?? '';
    const member = args[punishing] ?? '';
    punishing += 1;
    const found = readPunishment(memory, { key, lapseMs: level.punishment.lapseMs, clock });
    const refuses = isFull || (cost > 0 && found.bannedUntil > 0);
    const punished = { ...found, key, member, isDue: isFull && !level.isShadow };
    return { level, call, reading, delayMs, refuses, punished };
  });
}

/** Reads a level for a call. One with a queue refuses while tickets wait; see lua/limiter/queued-log.lua. */
function readLevel(
  memory: Memory,
  { policyArgs, otherKeys, clock }: Command,
  { level, call, state }: Pick<DecidedLevel, 'level' | 'call'> & { state: unknown },
): Reading {
  const reading = level.algorithm.read(state, call);
  if (!level.isQueued || call.cost === 0) return reading;
  const waitingKey = otherKeys.at(policyArgs.requestTtlMs === undefined ? -1 : -2) ?? '';
  const waiting = memory.queues.get(waitingKey)?.waiting.length ?? 0;
  if (waiting === 0) return reading;
  const turnAt = readQueuedLog(state as readonly number[] | undefined, call).turnAt(waiting + 1);
  return { ...reading, retryAfterMs: Math.max(reading.retryAfterMs, turnAt - clock) };
}

function charge(memory: Memory, one: DecidedLevel): void {
  const { level, call } = one;
  const { reading, ...written } = level.algorithm.charge(readState(memory, level), call);
  one.reading = reading;
  writeState(memory, level, written);
}

/** The end of the key of a reservation, which is the id of a generation that its call begins. */
const ID_CHARACTERS = 12;

/** Stores the reservation of a call that is about to be charged. */
function reserve(
  memory: Memory,
  { policyArgs: { reserveMs }, otherKeys, clock, cost }: Command,
  levels: readonly DecidedLevel[],
): void {
  if (reserveMs === undefined) return;
  const reservationKey = otherKeys.at(-1) ?? '';
  const newId = reservationKey.slice(-ID_CHARACTERS);
  const endsAt = clock + reserveMs;
  const charges = levels.map(({ level, refuses, reading }, index) => {
    if (refuses || !level.algorithm.refund) return { at: 0, generation: undefined };
    const generation = joinGeneration(memory, level, {
      key: otherKeys[index] ?? '',
      newId,
      endsAt,
      reserveMs,
    });
    return { at: reading.now, generation };
  });
  memory.reservations.set(reservationKey, { endsAt, cost, charges }, reserveMs);
}

/** Stores the request id of a call that was charged. */
function recordRequest(
  memory: Memory,
  { policyArgs: { requestTtlMs, punishing }, otherKeys, args, clock }: Command,
  levels: readonly DecidedLevel[],
): void {
  if (requestTtlMs === undefined) return;
  const starts = levels.flatMap(({ level, delayMs }) => (level.delays ? [clock + delayMs] : []));
  const startsAt = starts.length > 0 ? Math.max(...starts) : undefined;
  memory.requestIds.set(otherKeys.at(-1) ?? '', { input: args[punishing] ?? '', startsAt }, requestTtlMs);
}

/** Sets the start of a replay to that of the charged call. A call that no bucket delayed has started. */
function delayAsCharged(levels: readonly DecidedLevel[], { startsAt = 0 }: ChargedId, clock: number): void {
  for (const one of levels) if (one.level.delays) one.delayMs = Math.max(0, startsAt - clock);
}

/** Returns true if a settling may end a wait on the shared level of a call that does not reserve. */
function isReserved({ generations }: Memory, { policyArgs, otherKeys, clock }: Command): boolean {
  const key = otherKeys.at(policyArgs.requestTtlMs === undefined ? -1 : -2) ?? '';
  return (generations.get(key)?.reservedUntil ?? 0) > clock;
}

function numbersOf(
  { level, reading, refuses, delayMs, punished }: DecidedLevel,
  { clock, settles }: { clock: number; settles: boolean },
): number[] {
  const { used, retryAfterMs, resetMs } = reading;
  const untilBanEnds = punished ? punished.bannedUntil - clock : 0;
  const numbers = [used, punished ? Math.max(retryAfterMs, untilBanEnds) : retryAfterMs, resetMs];
  if (level.delays) numbers.push(delayMs);
  else if (level.isShadow) numbers.push(Number(refuses));
  if (level.isShared) numbers.push(Number(settles && retryAfterMs > 0));
  if (punished) numbers.push(punished.violations, punished.bannedUntil);
  return numbers;
}

/** Returns the number of the newest hits of a log, then the hits. */
function hitsOf(memory: Memory, { level, call }: DecidedLevel, most: number): number[] {
  const state = readState(memory, level);
  const hits = state === undefined ? [] : (level.algorithm.hits?.(state, call, most) ?? []);
  return [hits.length, ...hits];
}
