import { FloodgateError } from '../floodgate-error';
import { formatValue, isWhole } from '../options';
import { ALGORITHMS, type Mode, type ResolvedLevel, type ResolvedPolicy } from './policy';

export const YEAR_MS = 366 * 24 * 60 * 60 * 1000;
export const MAX_LIMIT = 1_000_000;
/** The longest timer of Node, about 25 days. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
const MAX_SUB_WINDOWS = 100;
const MAX_VIOLATIONS = 1000;
export const POLICY_NAME = /^[\w.%-]+$/;
export const NAME_FIX = 'Use letters, digits and . _ - %';
export const LEVEL_NAME = /^[a-z][A-Za-z+-]*$/;
/** The most calls in flight of a level: their leases take 18 kB. */
export const MAX_IN_FLIGHT = 1_000;
export const MAX_LEASE_MS = 60 * 60 * 1000;
/** A sub-window counts up to 2^32 − 1 units. */
const MAX_LEASED_LIMIT = 1_000_000_000;
const MIN_LEASE_MS = 500;
/** A unit returns up to a fiftieth of the window late. */
const MIN_LEASED_SUB_WINDOWS = 50;
export const MODES = ['enforce', 'shadow', 'off', 'block'] as const satisfies readonly Mode[];

/** An invalid policy. Thrown while the procedures are built, so that it stops the start. */
export class PolicyError extends FloodgateError {
  static override readonly code = 'INVALID_POLICY';
  readonly mistake: Mistake;

  /** An empty text if the policy has no name. */
  constructor(policy: string, mistake: Mistake) {
    const { field, value, fix } = mistake;
    const named = policy === '' ? 'Policy without a name' : `Policy "${policy}"`;
    super(`${named}: ${field} is ${formatValue(value)}. ${fix}`);
    this.name = 'PolicyError';
    this.mistake = mistake;
  }
}

interface Mistake {
  /** For example `levels[0].limit`. */
  field: string;
  value: unknown;
  /** The correction, in a sentence. */
  fix: string;
  /** The allowed whole numbers, both ends included, if the value must be one. */
  range?: Range | undefined;
}

type Range = { least: number; most: number };

/** Throws a `PolicyError` for a field with its value and the fix. */
export type Reject = (field: string, value: unknown, fix: string, range?: Range) => never;

/** Creates the function that throws the `PolicyError`s of one policy. */
export function createReject(policy: string): Reject {
  return function reject(field, value, fix, range) {
    throw new PolicyError(policy, { field, value, fix, range });
  };
}

/** Returns the function that rejects the fields of one part of a policy, such as `levels[0]`. */
export function rejectIn(part: string, reject: Reject): Reject {
  return (field, ...mistake) => reject(`${part}.${field}`, ...mistake);
}

/** Throws a `PolicyError` if a policy is no object, for example because its module has not been evaluated. */
export function assertPolicy(policy: unknown): asserts policy is object {
  if (typeof policy === 'object' && policy !== null) return;
  const fix = 'Give the result of definePolicy, or an object with levels.';
  throw new PolicyError('', { field: 'the policy', value: policy, fix });
}

/** Throws a `PolicyError` that names the policy, the field, the value and the fix. */
export function validatePolicy(policy: ResolvedPolicy): void {
  const reject: Reject = createReject(policy.name);
  const { levels, onStoreError, requestId } = policy;
  if (levels.length === 0) reject('levels', [], 'Give at least one level, or say `unlimited`.');
  if (!['closed', 'open', 'local'].includes(onStoreError))
    reject('onStoreError', onStoreError, 'Use "closed", "open" or "local".');
  if (requestId && onStoreError !== 'closed')
    reject('onStoreError', onStoreError, 'Use "closed": only the store can detect a repeated requestId.');

  const seen = new Set<string>();
  for (const [index, level] of levels.entries()) {
    const at = `levels[${index}]`;
    const rejectField: Reject = rejectIn(at, reject);
    if (seen.has(level.level)) rejectField('level', level.level, 'Name each level once.');
    seen.add(level.level);
    validateSubject(level, rejectField);
    validateWindows(policy, level, { at, reject });
    validatePunishment(level, rejectField);
    if (level.when && requestId && levels.length === 1) {
      // The id is kept with the subjects of the only level, which a call without that level does not have.
      const fix =
        'Give a policy with a requestId a second level, because the id is stored with the subject of another level.';
      rejectField('when', level.when, fix);
    }
    validateShared(policy, level, rejectField);
    validateLease(policy, level, rejectIn('lease', rejectField));
  }
}

/** Returns true for the name of a policy or of a shared level. */
export function isPolicyName(name: unknown): boolean {
  return typeof name === 'string' && POLICY_NAME.test(name);
}

function validateSubject({ level, by, counts, ifMissing }: ResolvedLevel, reject: Reject): void {
  if (typeof level !== 'string' || !LEVEL_NAME.test(level))
    reject('level', level, 'Use letters, "+" and "-", the first in lower case, as in "user" or "apiKey".');
  const isKnown = ['global', 'user', 'ip'].includes(level);
  if (!isKnown && !by) reject('by', undefined, `Say by what "${level}" counts, or use global, user or ip.`);
  if (isKnown && by) reject('by', by, `"${level}" has a fixed subject; give the level another name.`);
  if (isKnown && counts !== (level === 'global' ? 'all' : level))
    reject('counts', counts, `"${level}" has a fixed subject; give the level another name.`);
  if (typeof counts !== 'string' || counts === '')
    reject('counts', counts, 'Use the name of a field, as in "ip", or "all".');
  if (by !== undefined && typeof by !== 'function' && !isInputSubject(by))
    reject('by', by, 'Use a function of the context, or keyedBy(schema, …) for a field of the input.');
  const isNamed =
    typeof ifMissing === 'object' && ifMissing !== null && Object.keys(ifMissing).join() === 'subject';
  // A NUL marks the subject itself; see counted-subjects.ts.
  const hasSubject =
    isNamed && typeof ifMissing.subject === 'string' && (ifMissing.subject[0] ?? '\0') !== '\0';
  if (ifMissing !== 'error' && ifMissing !== 'skip' && !hasSubject)
    reject('ifMissing', ifMissing, 'Use "error", "skip", or { subject: "jobs" } with a text of your own.');
}

function isInputSubject(by: unknown): boolean {
  if (typeof by !== 'object' || by === null || !('input' in by && 'subject' in by)) return false;
  // A schema may be a function.
  return '~standard' in Object(by.input) && typeof by.subject === 'function';
}

function validateShared({ levels }: ResolvedPolicy, level: ResolvedLevel, reject: Reject): void {
  const { shared, punishment, plans } = level;
  if (shared === undefined) return;
  if (!isPolicyName(shared)) reject('shared', shared, `${NAME_FIX}, as in "shop".`);
  if (levels.find((one) => one.shared !== undefined) !== level) {
    const fix =
      'Keep one shared level: two are in different slots of a cluster, where no script call can charge both or none.';
    reject('shared', shared, fix);
  }
  if (plans) {
    const fix = 'Several policies charge a shared level, so its numbers have no plan.';
    reject(plans.limit ? 'limit' : 'windowMs', 'byPlan', fix);
  }
  if (punishment) {
    const fix = `A ban applies to one policy, and several charge the window of "${shared}". Punish at a level of the policy alone.`;
    reject('punishment', punishment, fix);
  }
}

/** Throws if the window of any plan of a level is invalid, or too small for the cost of a call. */
function validateWindows(
  { cost, costOf }: ResolvedPolicy,
  level: ResolvedLevel,
  { at, reject }: { at: string; reject: Reject },
): void {
  const { plans, algorithm } = level;
  const isInFlight = algorithm === 'in-flight';
  /** The fields that declare the numbers. */
  const names = isInFlight
    ? { limit: 'concurrent', windowMs: 'leaseMs' }
    : { limit: 'limit', windowMs: 'windowMs' };
  if (plans && level.level === 'global') {
    const fix = '"global" has one window for all callers, so its numbers have no plan.';
    reject(`${at}.${plans.limit ? names.limit : names.windowMs}`, 'byPlan', fix);
  }
  for (const [plan, limit] of Object.entries(plans?.limit?.values ?? { '': level.limit })) {
    const limitField = `${at}.${joinPlan(names.limit, plan)}`;
    for (const [windowPlan, windowMs] of Object.entries(plans?.windowMs?.values ?? { '': level.windowMs })) {
      const fields: Record<string, string> = {
        limit: limitField,
        windowMs: `${at}.${joinPlan(names.windowMs, windowPlan)}`,
      };
      validateWindow({ ...level, limit, windowMs }, (field, ...mistake) =>
        reject(fields[field] ?? `${at}.${field}`, ...mistake),
      );
    }
    if (!isWhole(cost, 1, isInFlight ? MAX_LIMIT : limit)) {
      const other = plan === '' ? 'A level that counts something else' : 'A plan with a smaller limit';
      const fix = `Use a whole number from 1 to ${limitField}, which is ${limit}. ${other} needs its own policy.`;
      reject(costOf ? 'maxCost' : 'cost', cost, fix);
    }
  }
}

function joinPlan(field: string, plan: string): string {
  return plan === '' ? field : `${field}.${plan}`;
}

/** Throws if the limit, window, algorithm or mode of a level is invalid; also validates overrides. */
export function validateWindow(
  window: Pick<ResolvedLevel, 'algorithm' | 'limit' | 'windowMs' | 'subWindows' | 'mode' | 'lease'>,
  reject: Reject,
): void {
  const { algorithm, limit, windowMs, subWindows, mode, lease } = window;
  const isInFlight = algorithm === 'in-flight';
  const maxLimit = isInFlight ? MAX_IN_FLIGHT : lease ? MAX_LEASED_LIMIT : MAX_LIMIT;
  const [maxMs, longest] = isInFlight ? [MAX_LEASE_MS, 'an hour'] : [YEAR_MS, 'a year'];
  if (!isInFlight && !ALGORITHMS.some((one) => one === algorithm))
    reject('algorithm', algorithm, `Use one of ${ALGORITHMS.join(', ')}.`);
  if (!isWhole(limit, 1, maxLimit))
    reject('limit', limit, `Use a whole number from 1 to ${maxLimit}.`, { least: 1, most: maxLimit });
  if (!isWhole(windowMs, 1, maxMs)) {
    const range = { least: 1, most: maxMs };
    reject('windowMs', windowMs, `Use whole milliseconds from 1 to ${longest}, as in 10_000.`, range);
  }
  if (algorithm.endsWith('-bucket') && limit * windowMs > Number.MAX_SAFE_INTEGER) {
    const fix = `With a window of ${windowMs} ms a bucket counts exactly up to 2^53 / window.`;
    reject('limit', limit, fix, { least: 1, most: Math.floor(Number.MAX_SAFE_INTEGER / windowMs) });
  }
  // Only a counter has sub-windows, which are then not shorter than the clock.
  const maxSubWindows =
    algorithm === 'sliding-counter' ? Math.min(MAX_SUB_WINDOWS, windowMs) : MAX_SUB_WINDOWS;
  if (!isWhole(subWindows, 1, maxSubWindows))
    reject('subWindows', subWindows, `Use a whole number from 1 to ${maxSubWindows}, each of at least 1 ms.`);
  if (algorithm === 'leaky-bucket' && windowMs > MAX_TIMER_MS) {
    const fix = `A call cannot wait longer than ${MAX_TIMER_MS} ms.`;
    reject('windowMs', windowMs, fix, { least: 1, most: MAX_TIMER_MS });
  }
  validateMode(mode, reject);
}

/** Throws if a level cannot have this mode. */
export function validateMode(mode: unknown, reject: Reject): void {
  if (MODES.some((one) => one === mode)) return;
  reject('mode', mode, 'Use "enforce", "shadow", "off" or "block".');
}

/** Throws if the units of a level cannot be leased. */
function validateLease(
  { levels, requestId, settle }: ResolvedPolicy,
  { lease, algorithm, subWindows, shared }: ResolvedLevel,
  reject: Reject,
): void {
  if (!lease) return;
  const { forMs, maxUnits } = lease;
  if (algorithm !== 'sliding-counter' || subWindows < MIN_LEASED_SUB_WINDOWS) {
    const fix = `Use it with algorithm "sliding-counter" and subWindows from ${MIN_LEASED_SUB_WINDOWS}: a log stores each unit, and buckets have another bound.`;
    reject('forMs', forMs, fix);
  }
  if (!isWhole(forMs, MIN_LEASE_MS, MAX_LEASE_MS)) {
    const fix = `Use whole milliseconds from ${MIN_LEASE_MS} to an hour: a batch must outlast the timeout of a call.`;
    reject('forMs', forMs, fix, { least: MIN_LEASE_MS, most: MAX_LEASE_MS });
  }
  if (!isWhole(maxUnits, 1, Number.MAX_SAFE_INTEGER))
    reject('maxUnits', maxUnits, 'Use a whole number from 1.');
  const conflicts: readonly (readonly [string, unknown, string])[] = [
    ['requestId', requestId, 'only the store can detect a repeated call'],
    ['settle', settle, 'the units of a call that ends may belong to a batch that has ended'],
    [
      'punishment',
      levels.some(({ punishment }) => punishment),
      'the store counts no violation of a call that it does not see',
    ],
    ['queue', levels.some(({ queue }) => queue), 'direct calls would pass the tickets that wait'],
    ['shared', shared !== undefined, 'other policies charge the level without it'],
    ['byPlan', levels.some(({ plans }) => plans), 'a batch is taken for callers of every plan'],
  ];
  for (const [field, isUsed, reason] of conflicts) {
    if (isUsed) reject('forMs', forMs, `Omit the lease of a policy with ${field}: ${reason}.`);
  }
}

function validatePunishment({ level, by, counts, punishment }: ResolvedLevel, reject: Reject): void {
  if (!punishment) return;
  if (counts === 'all' || typeof by === 'object') {
    const reason = counts === 'all' ? 'counts everybody together' : 'counts whatever the caller types in';
    const fix = `"${level}" ${reason}, so a ban would hit others. Punish at user, ip, or a level by the context.`;
    reject('punishment', punishment, fix);
  }
  const { warnAt, banAt, banMs, lapseMs } = punishment;
  const rejectField: Reject = rejectIn('punishment', reject);
  if (!isWhole(banAt, 1, MAX_VIOLATIONS))
    rejectField('banAt', banAt, `Use a whole number from 1 to ${MAX_VIOLATIONS}.`);
  if (!isWhole(warnAt, 1, banAt))
    rejectField('warnAt', warnAt, `Warn before the ban: a whole number from 1 to banAt, which is ${banAt}.`);
  for (const [name, value] of Object.entries({ banMs, lapseMs })) {
    if (isWhole(value, 1, YEAR_MS)) continue;
    rejectField(name, value, 'Use whole milliseconds from 1 to a year, as in 1_800_000.');
  }
}
