import type { EncodedCommand, PolicyArgs } from './codec';

/** The numbers of keys and of own arguments that a command of decide.lua has. */
interface CommandSize {
  keyCount: number;
  argCount: number;
}

const HEAD_WORDS = 3;
const LEVEL_WORDS = 8;
/** More than the policies of a product. Each changed limit adds one. */
const MAX_KNOWN = 1_000;
const known = new Map<PolicyArgs, CommandSize>();

/** Returns the size of each command with these policy arguments; the grammar is in codec.ts. */
export function sizeOf(policyArgs: PolicyArgs): CommandSize {
  const found = known.get(policyArgs);
  if (found) return found;
  if (known.size === MAX_KNOWN) known.clear();
  const size = readSize(policyArgs);
  known.set(policyArgs, size);
  return size;
}

function readSize(policyArgs: PolicyArgs): CommandSize {
  const words = policyArgs.split(' ');
  const [charge, , record = ''] = words;
  const levelCount = (words.length - HEAD_WORDS) / LEVEL_WORDS;
  const levels = Array.from({ length: levelCount }, (_, index) =>
    words.slice(HEAD_WORDS + index * LEVEL_WORDS),
  );
  const isSettling = charge === 'settle';
  const isReserving = record.startsWith('reserve=');
  const punishing = levels.filter(([, , , , , banAt]) => banAt !== '0').length;
  const hasReservation = isSettling || isReserving;
  const hasQueue = levels.some(([algorithm]) => algorithm === 'queued-log');
  const hasGeneration = !hasReservation && levels.some(([, , , , mode]) => mode?.endsWith('+'));
  const hasRequestId = record !== '0' && !isReserving;
  const hasLease = charge !== '0' && !isSettling && levels.some(([algorithm]) => algorithm === 'in-flight');
  const hasOwnNumbers = charge === '*' || isSettling || levels.some(([, limit]) => limit === '*');
  return {
    keyCount:
      levelCount +
      (punishing > 0 ? punishing + 1 : 0) +
      Number(hasQueue) +
      Number(hasGeneration) +
      Number(hasRequestId) +
      (hasReservation ? levelCount + 1 : 0),
    argCount: punishing + Number(hasRequestId) + Number(hasLease) + Number(hasOwnNumbers),
  };
}

/**
 * Throws a `RangeError` for a command whose keys or arguments do not fit its policy arguments. In a batch, they would shift
 * those of all later commands.
 */
export function validateSize({ policyArgs, keys, args }: EncodedCommand): void {
  const { keyCount, argCount } = sizeOf(policyArgs);
  if (keys.length === keyCount && args.length === argCount) return;
  throw new RangeError(
    `A command has ${keys.length} keys and ${args.length} arguments, but its policy arguments "${policyArgs}" need ${keyCount} and ${argCount}.`,
  );
}
