import type { LevelCall, Reading, StateAlgorithm } from '../../algorithms/algorithm';
import { type BucketState, emptyInMs } from '../../algorithms/bucket';
import type { DecideReply, LevelReply, StoreCommand, StoreLevel } from '../store';
import { algorithms, type ChargedId, type Memory, type Punishment, readState, writeState } from './memory';
import { countViolation, readPunishment } from './punishments';
import { readQueuedLog } from './queued-log';
import { isReservedByOthers, reserve } from './settle-call';

/** One level of a call that is being decided. */
interface DecidedLevel {
  level: StoreLevel;
  algorithm: StateAlgorithm<unknown>;
  /** The index of the level in its policy. */
  index: number;
  key: string;
  call: LevelCall;
  reading: Reading;
  delayMs: number;
  refuses: boolean;
  /** Only of a level that punishes. */
  punished: (Punishment & { isDue: boolean }) | undefined;
}

/** Decides a call on all its levels, or peeks: it is charged on all of them, or on none. */
export function decideCall(memory: Memory, command: StoreCommand, clock: number): DecideReply {
  const { request, keys, policyArgs } = command;
  const charged = request && memory.requestIds.get(request.key);
  const cost = charged ? 0 : command.cost;
  const levels = readLevels(memory, command, { cost, clock });

  const isAdmitted = !levels.some(({ level, refuses }) => refuses && isEnforced(level));
  const isBanned = levels.some(
    ({ level, punished }) => isEnforced(level) && punished && punished.bannedUntil > 0,
  );
  const now = Math.max(clock, ...levels.map(({ reading }) => reading.now));
  if (isAdmitted && cost > 0) {
    reserve(memory, command, { levels, clock });
    for (const one of levels) if (!one.refuses) charge(memory, one);
    recordRequest(memory, command, { levels, clock });
  }
  for (const one of levels) {
    const { punished, index } = one;
    const { punishment } = one.level;
    if (!punishment || !punished?.isDue || isBanned) continue;
    const names = { key: keys.violations(index), bansKey: keys.bans(), member: keys.banMember(index) };
    one.punished = { ...punished, ...countViolation(memory, punished, { ...punishment, ...names, clock }) };
  }
  if (charged) delayAsCharged(levels, charged, clock);

  const isReserved = isReservedByOthers(memory, command, clock);
  return {
    now,
    outcome: outcomeOf(charged && { isSame: charged.input === request?.input }, isAdmitted),
    levels: levels.map((one) => toReply(memory, one, { clock, isReserved, maxHits: policyArgs.hits ?? 0 })),
  };
}

function outcomeOf(replay: { isSame: boolean } | undefined, isAdmitted: boolean): DecideReply['outcome'] {
  if (replay) return replay.isSame ? 'replayed' : 'conflict';
  return isAdmitted ? 'admitted' : 'refused';
}

function isEnforced({ mode }: StoreLevel): boolean {
  return mode === 'enforce';
}

function readLevels(
  memory: Memory,
  command: StoreCommand,
  { cost, clock }: { cost: number; clock: number },
): DecidedLevel[] {
  const { policyArgs, keys, leaseId = '' } = command;
  return policyArgs.levels.map((level, position) => {
    const { limit, windowMs, subWindows, punishment } = level;
    const index = policyArgs.levelIndexes[position] ?? 0;
    const key = keys.level(index);
    const algorithm = algorithms[level.algorithm];
    // No spread here and in the reply: on Node 20, one with an instant takes microseconds.
    const call = { limit, windowMs, subWindows, clock, cost, leaseId };
    const state = readState(memory, { key, algorithm });
    const reading = readLevel(memory, command, { level, call, state });
    const isFull = cost > 0 && reading.retryAfterMs > 0;
    const delays = isDelaying(level) && reading.retryAfterMs === 0;
    const delayMs = delays ? emptyInMs(state as BucketState | undefined, call) : 0;
    if (!punishment)
      return { level, algorithm, index, key, call, reading, delayMs, refuses: isFull, punished: undefined };
    const { lapseMs } = punishment;
    const found = readPunishment(memory, { key: keys.violations(index), lapseMs, clock });
    const refuses = isFull || (cost > 0 && found.bannedUntil > 0);
    const punished = { ...found, isDue: isFull && isEnforced(level) };
    return { level, algorithm, index, key, call, reading, delayMs, refuses, punished };
  });
}

/** Returns true if an admitted call waits for its start. */
function isDelaying(level: StoreLevel): boolean {
  return level.algorithm === 'leaky-bucket' && isEnforced(level);
}

/** Reads a level for a call. One with a queue refuses while tickets wait; see lua/limiter/queued-log.lua. */
function readLevel(
  memory: Memory,
  { keys }: StoreCommand,
  { level, call, state }: { level: StoreLevel; call: LevelCall; state: unknown },
): Reading {
  const reading = algorithms[level.algorithm].read(state, call);
  if (!level.queue || call.cost === 0) return reading;
  const waiting = memory.queues.get(keys.queue('queue'))?.waiting.length ?? 0;
  if (waiting === 0) return reading;
  const turnAt = readQueuedLog(state as readonly number[] | undefined, call).turnAt(waiting + 1);
  return { ...reading, retryAfterMs: Math.max(reading.retryAfterMs, turnAt - call.clock) };
}

function charge(memory: Memory, one: DecidedLevel): void {
  const { reading, ...written } = one.algorithm.charge(readState(memory, one), one.call);
  one.reading = reading;
  writeState(memory, one, written);
}

/** Stores the request id of a call that was charged. */
function recordRequest(
  memory: Memory,
  { policyArgs: { requestTtlMs }, request }: StoreCommand,
  { levels, clock }: { levels: readonly DecidedLevel[]; clock: number },
): void {
  if (!request) return;
  const starts = levels.flatMap(({ level, delayMs }) => (isDelaying(level) ? [clock + delayMs] : []));
  const startsAt = starts.length > 0 ? Math.max(...starts) : undefined;
  memory.requestIds.set(request.key, { input: request.input, startsAt }, requestTtlMs);
}

/** Sets the start of a replay to that of the charged call. A call that no bucket delayed has started. */
function delayAsCharged(levels: readonly DecidedLevel[], { startsAt = 0 }: ChargedId, clock: number): void {
  for (const one of levels) if (isDelaying(one.level)) one.delayMs = Math.max(0, startsAt - clock);
}

function toReply(
  memory: Memory,
  one: DecidedLevel,
  { clock, isReserved, maxHits }: { clock: number; isReserved: boolean; maxHits: number },
): LevelReply {
  const { level, reading, refuses, delayMs, punished } = one;
  const { used, retryAfterMs, resetMs } = reading;
  const untilBanEnds = punished ? punished.bannedUntil - clock : 0;
  return {
    used,
    retryAfterMs: Math.max(retryAfterMs, untilBanEnds),
    resetMs,
    delayMs,
    refuses,
    settles: isReserved && level.shared !== undefined && retryAfterMs > 0,
    violations: punished?.violations ?? 0,
    bannedUntil: punished?.bannedUntil ?? 0,
    hits: hitsOf(memory, one, maxHits),
  };
}

/** Returns the newest hits of a log, at most `most`. */
function hitsOf(memory: Memory, { key, algorithm, call }: DecidedLevel, most: number): readonly number[] {
  if (most === 0) return [];
  const state = readState(memory, { key, algorithm });
  return state === undefined ? [] : (algorithm.hits?.(state, call, most) ?? []);
}
