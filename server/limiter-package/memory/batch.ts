import { StoreReplyError } from '../../limiter/store-error';
import type { Numbers } from './algorithm';
import { decideCall } from './decide-call';
import { changeLease, settleCall } from './later-commands';
import type { Memory } from './memory';
import { decodePolicyArgs, type MemoryLevel, type PolicyArgs } from './policy-args';

/** One command of a batch. */
export interface Command {
  policyArgs: PolicyArgs;
  /** Epoch ms. */
  clock: number;
  /** In units; of a settling, the units that stay charged. */
  cost: number;
  levels: readonly (MemoryLevel & { key: string; numbers: Numbers })[];
  /** The keys after those of the levels, in the order of decide.lua. */
  otherKeys: readonly string[];
  /** The arguments of this call, in the order of decide.lua. */
  args: readonly string[];
}

/** Decides a batch of calls, like lua/limiter/decide.lua: the header of that file is the grammar. */
export function decideBatch(
  memory: Memory,
  { keys, args, clock: storeClock }: { keys: readonly string[]; args: readonly string[]; clock: number },
): string {
  const replies: string[] = [];
  let nextKey = 0;
  let nextArg = 0;
  while (nextArg < args.length) {
    const policyArgs = decodePolicyArgs(args[nextArg] ?? '');
    const [count, callersClock] = (args[nextArg + 1] ?? '').split(' ');
    const clock = callersClock === undefined ? storeClock : Number(callersClock);
    const keyCount = keyCountOf(policyArgs);
    const argCount = argCountOf(policyArgs);
    nextArg += 2;
    for (let call = 0; call < Number(count); call += 1) {
      const ownKeys = keys.slice(nextKey, nextKey + keyCount);
      const ownArgs = args.slice(nextArg, nextArg + argCount);
      replies.push(replyTo(memory, toCommand({ policyArgs, clock, keys: ownKeys, args: ownArgs })));
      nextKey += keyCount;
      nextArg += argCount;
    }
  }
  return replies.join('\n');
}

function replyTo(memory: Memory, command: Command): string {
  try {
    const { kind } = command.policyArgs;
    if (kind === 'decide') return decideCall(memory, command);
    const isHeld = kind === 'settle' ? settleCall(memory, command) : changeLease(memory, command, kind);
    return isHeld ? '1' : '0';
  } catch (error) {
    // A call that fails does not fail the others.
    if (error instanceof StoreReplyError) return `-${error.message}`;
    throw error;
  }
}

function toCommand({
  policyArgs,
  clock,
  keys,
  args,
}: Pick<Command, 'policyArgs' | 'clock' | 'args'> & { keys: readonly string[] }): Command {
  const own = policyArgs.hasOwnNumbers ? numbersIn(args.at(-1)) : [];
  const cost =
    policyArgs.cost ?? (policyArgs.kind === 'decide' || policyArgs.kind === 'settle' ? own.shift() : 0);
  const levels = policyArgs.levels.map((level, index) => {
    const numbers = level.numbers ?? {
      limit: own.shift() ?? 0,
      windowMs: own.shift() ?? 0,
      subWindows: level.subWindows,
    };
    return { ...level, key: keys[index] ?? '', numbers };
  });
  return { policyArgs, clock, cost: cost ?? 0, levels, otherKeys: keys.slice(levels.length), args };
}

function numbersIn(text = ''): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

function keyCountOf({ kind, levels, punishing, hasQueue, requestTtlMs, reserveMs }: PolicyArgs): number {
  const punishments = punishing > 0 ? punishing + 1 : 0;
  const record = reserveMs !== undefined || kind === 'settle' ? 1 : 0;
  return levels.length + punishments + Number(hasQueue) + (requestTtlMs === undefined ? 0 : 2) + record;
}

function argCountOf({ punishing, requestTtlMs, hasLease, hasOwnNumbers }: PolicyArgs): number {
  return punishing + (requestTtlMs === undefined ? 0 : 1) + Number(hasLease) + Number(hasOwnNumbers);
}
