import { sizeOf } from '../../decide/command-size';
import { StoreReplyError } from '../store-error';
import type { Numbers } from './algorithm';
import { type DecidedCall, decideCall } from './decide-call';
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

/** The keys and arguments of a script, and the clock of the store in epoch ms. */
interface ScriptCall {
  keys: readonly string[];
  args: readonly string[];
  clock: number;
}

/** Decides a batch of calls, like lua/limiter/decide.lua: the header of that file is the grammar. */
export function decideBatch(memory: Memory, { keys, args, clock: storeClock }: ScriptCall): string {
  const replies: string[] = [];
  let nextKey = 0;
  let nextArg = 0;
  while (nextArg < args.length) {
    const policyArgs = decodePolicyArgs(args[nextArg] ?? '');
    const head = args[nextArg + 1] ?? '';
    const [count] = head.split(' ');
    const clock = clockIn(head, storeClock);
    const { keyCount, argCount } = sizeOf(args[nextArg] ?? '');
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
    if (kind === 'decide') return decideCall(memory, command).reply;
    const isHeld = kind === 'settle' ? settleCall(memory, command) : changeLease(memory, command, kind);
    return isHeld ? '1' : '0';
  } catch (error) {
    // A call that fails does not fail the others.
    if (error instanceof StoreReplyError) return `-${error.message}`;
    throw error;
  }
}

/**
 * Decides one call of a batch of one, whose arguments are policy arguments, the number 1, and those of the call. A call that
 * fails is neither admitted nor refused by its queue.
 */
export function decideOne(
  memory: Memory,
  { keys, args: [text = '', head = '', ...args], clock: storeClock }: ScriptCall,
): DecidedCall {
  const policyArgs = decodePolicyArgs(text);
  const clock = clockIn(head, storeClock);
  try {
    return decideCall(memory, toCommand({ policyArgs, clock, keys, args }));
  } catch (error) {
    if (error instanceof StoreReplyError)
      return { reply: `-${error.message}`, isAdmitted: false, isRefusedByQueue: false };
    throw error;
  }
}

/** Returns the numbers of keys and arguments of a batch of one call with these policy arguments. */
export function sizeOfOne(text: string): { keyCount: number; argCount: number } {
  const { keyCount, argCount } = sizeOf(text);
  return { keyCount, argCount: 2 + argCount };
}

/** Returns the clock of a group of calls, which may have that of the caller after their number. */
function clockIn(head: string, storeClock: number): number {
  const [, callersClock] = head.split(' ');
  return callersClock === undefined ? storeClock : Number(callersClock);
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
