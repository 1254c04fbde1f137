import type { ResolvedLevel, ResolvedPolicy } from './policy';

const YEAR_MS = 366 * 24 * 60 * 60 * 1000;
export const MAX_LIMIT = 1_000_000;
/** The longest timer of Node, about 25 days. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
const MAX_SUB_WINDOWS = 100;
const MAX_VIOLATIONS = 1000;
const POLICY_NAME = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;
const LEVEL_NAME = /^[a-z][a-z+-]*$/;
const KNOWN_LEVELS: ReadonlySet<string> = new Set(['global', 'user', 'ip']);
const MAX_IN_FLIGHT = 1_000;
const MAX_LEASE_MS = 60 * 60 * 1000;
const ALGORITHMS = ['sliding-log', 'sliding-counter', 'fixed-window', 'token-bucket', 'leaky-bucket'];

/** An invalid policy. Thrown while the procedures are built, so that it stops the start. */
export class PolicyError extends Error {
  readonly mistake: Mistake;

  constructor(policy: string, mistake: Mistake) {
    const { field, value, fix } = mistake;
    super(`Policy "${policy}": ${field} is ${formatValue(value)}. ${fix}`);
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
  /** The allowed whole numbers, if the value must be one. */
  range?: Range | undefined;
}

/** In the unit of the field, both ends included. */
interface Range {
  least: number;
  most: number;
}

/** Throws a `PolicyError` for a field with its value and the fix. */
export type Reject = (field: string, value: unknown, fix: string, range?: Range) => never;

/** Creates the function that throws the `PolicyError`s of one policy. */
export function createReject(policy: string): Reject {
  return function reject(field, value, fix, range) {
    throw new PolicyError(policy, { field, value, fix, range });
  };
}

/** Throws a `PolicyError` that names the policy, the field, the value and the fix. */
export function validatePolicy<Context>(policy: ResolvedPolicy<Context>): void {
  const reject: Reject = createReject(policy.name);
  if (typeof policy.name !== 'string' || !POLICY_NAME.test(policy.name)) {
    reject('name', policy.name, 'Use letters, digits, dots and hyphens, as in "coupon.claim".');
  }
  if (policy.levels.length === 0) reject('levels', [], 'Give at least one level, or say `unlimited`.');
  if (!['closed', 'open', 'local'].includes(policy.onStoreError)) {
    reject('onStoreError', policy.onStoreError, 'Use "closed", "open" or "local".');
  }
  if (policy.requestId && policy.onStoreError !== 'closed') {
    const fix = 'Use "closed": only the store can detect a repeated requestId.';
    reject('onStoreError', policy.onStoreError, fix);
  }

  const seen = new Set<string>();
  policy.levels.forEach((level, index) => {
    const at = `levels[${index}]`;
    if (seen.has(level.level)) reject(`${at}.level`, level.level, 'Name each level once.');
    seen.add(level.level);
    validateSubject(level, at, reject);
    validateWindows(policy, level, { at, reject });
    validatePunishment(level, at, reject);
    validateCondition(policy, level, at, reject);
    validateShared(policy, level, at, reject);
  });
}

function validateSubject<Context>(
  { level, by, ifMissing }: ResolvedLevel<Context>,
  at: string,
  reject: Reject,
): void {
  if (typeof level !== 'string' || !LEVEL_NAME.test(level)) {
    reject(`${at}.level`, level, 'Use lower-case letters, as in "user" or "email+ip".');
  }
  if (!KNOWN_LEVELS.has(level) && !by) {
    reject(`${at}.by`, undefined, `Say by what "${level}" counts, or use global, user or ip.`);
  }
  if (KNOWN_LEVELS.has(level) && by) {
    reject(`${at}.by`, by, `"${level}" has a fixed subject; give the level another name.`);
  }
  if (by !== undefined && typeof by !== 'function' && !isInputSubject(by)) {
    reject(`${at}.by`, by, 'Use a function of the context, or keyedBy(schema, …) for a field of the input.');
  }
  const isNamed =
    typeof ifMissing === 'object' && ifMissing !== null && Object.keys(ifMissing).join() === 'subject';
  const hasSubject = isNamed && typeof ifMissing.subject === 'string' && ifMissing.subject !== '';
  if (ifMissing !== 'error' && ifMissing !== 'skip' && !hasSubject) {
    reject(
      `${at}.ifMissing`,
      ifMissing,
      'Use "error", "skip", or { subject: "jobs" } with a text of your own.',
    );
  }
}

function isInputSubject(by: unknown): boolean {
  if (typeof by !== 'object' || by === null) return false;
  return 'input' in by && 'subject' in by && typeof by.subject === 'function';
}

function validateCondition<Context>(
  { levels, requestId }: ResolvedPolicy<Context>,
  { when }: ResolvedLevel<Context>,
  at: string,
  reject: Reject,
): void {
  if (!when || !requestId || levels.length > 1) return;
  // The id is kept with the subjects of the only level, which a call without that level does not have.
  const fix =
    'Give a policy with a requestId a second level, because the id is stored with the subject of another level.';
  reject(`${at}.when`, when, fix);
}

function validateShared<Context>(
  { levels }: ResolvedPolicy<Context>,
  level: ResolvedLevel<Context>,
  at: string,
  reject: Reject,
): void {
  const { shared, punishment, plans } = level;
  if (shared === undefined) return;
  if (typeof shared !== 'string' || !POLICY_NAME.test(shared)) {
    reject(`${at}.shared`, shared, 'Use letters, digits, dots and hyphens, as in "shop".');
  }
  if (levels.find((one) => one.shared !== undefined) !== level) {
    const fix =
      'Keep one shared level: two are in different slots of a cluster, where no script call can charge both or none.';
    reject(`${at}.shared`, shared, fix);
  }
  if (plans) {
    const field = plans.limit ? 'limit' : 'windowMs';
    reject(
      `${at}.${field}`,
      'byPlan',
      'Several policies charge a shared level, so its numbers have no plan.',
    );
  }
  if (punishment) {
    const fix = `A ban applies to one policy, and several charge the window of "${shared}". Punish at a level of the policy alone.`;
    reject(`${at}.punishment`, punishment, fix);
  }
}

/** Throws if the window of any plan of a level is invalid, or too small for the cost of a call. */
function validateWindows<Context>(
  { cost, costOf }: ResolvedPolicy<Context>,
  level: ResolvedLevel<Context>,
  { at, reject }: { at: string; reject: Reject },
): void {
  const { level: name, plans } = level;
  const names = numberNames(level);
  if (plans && name === 'global') {
    const field = plans.limit ? names.limit : names.windowMs;
    reject(
      `${at}.${field}`,
      'byPlan',
      '"global" has one window for all callers, so its numbers have no plan.',
    );
  }
  const windows = Object.entries(plans?.windowMs?.values ?? { '': level.windowMs });
  for (const [plan, limit] of Object.entries(plans?.limit?.values ?? { '': level.limit })) {
    const limitField = joinPlan(names.limit, plan);
    for (const [windowPlan, windowMs] of windows) {
      const fields: Record<string, string> = {
        [`${at}.limit`]: `${at}.${limitField}`,
        [`${at}.windowMs`]: `${at}.${joinPlan(names.windowMs, windowPlan)}`,
      };
      const rejectPlan: Reject = (field, ...mistake) => reject(fields[field] ?? field, ...mistake);
      validateWindow({ ...level, limit, windowMs }, at, rejectPlan);
    }
    if (!isWhole(cost, 1, level.algorithm === 'in-flight' ? MAX_LIMIT : limit)) {
      reject(
        costOf ? 'maxCost' : 'cost',
        cost,
        `Use a whole number from 1 to ${at}.${limitField}, which is ${limit}.`,
      );
    }
  }
}

/** Returns the fields that declare the numbers of a level. */
function numberNames({ algorithm }: Pick<ResolvedLevel<never>, 'algorithm'>) {
  return algorithm === 'in-flight'
    ? { limit: 'concurrent', windowMs: 'leaseMs' }
    : { limit: 'limit', windowMs: 'windowMs' };
}

/** Returns the field of a number, with its plan if the number differs by plan. */
function joinPlan(field: string, plan: string): string {
  return plan === '' ? field : `${field}.${plan}`;
}

/** Throws if the limit, window, algorithm or mode of a level is invalid; also validates overrides. */
export function validateWindow(
  window: Pick<ResolvedLevel<never>, 'algorithm' | 'limit' | 'windowMs' | 'subWindows' | 'mode'>,
  at: string,
  reject: Reject,
): void {
  const { algorithm, limit, windowMs, subWindows, mode } = window;
  const isInFlight = algorithm === 'in-flight';
  const maxLimit = isInFlight ? MAX_IN_FLIGHT : MAX_LIMIT;
  const maxMs = isInFlight ? MAX_LEASE_MS : YEAR_MS;
  if (!isInFlight && !ALGORITHMS.includes(algorithm)) {
    reject(`${at}.algorithm`, algorithm, `Use one of ${ALGORITHMS.join(', ')}.`);
  }
  if (!isWhole(limit, 1, maxLimit)) {
    const range = { least: 1, most: maxLimit };
    reject(`${at}.limit`, limit, `Use a whole number from 1 to ${maxLimit}.`, range);
  }
  if (!isWhole(windowMs, 1, maxMs)) {
    const range = { least: 1, most: maxMs };
    const longest = isInFlight ? 'an hour' : 'a year';
    reject(`${at}.windowMs`, windowMs, `Use whole milliseconds from 1 to ${longest}, as in 10_000.`, range);
  }
  if (algorithm.endsWith('-bucket') && limit * windowMs > Number.MAX_SAFE_INTEGER) {
    const fix = `With a window of ${windowMs} ms a bucket counts exactly up to 2^53 / window.`;
    const range = { least: 1, most: Math.floor(Number.MAX_SAFE_INTEGER / windowMs) };
    reject(`${at}.limit`, limit, fix, range);
  }
  const maxSubWindows = Math.min(MAX_SUB_WINDOWS, windowMs);
  if (algorithm === 'sliding-counter' && !isWhole(subWindows, 1, maxSubWindows)) {
    reject(
      `${at}.subWindows`,
      subWindows,
      `Use a whole number from 1 to ${maxSubWindows}, each of at least 1 ms.`,
    );
  }
  if (algorithm === 'leaky-bucket' && windowMs > MAX_TIMER_MS) {
    const fix = `A call cannot wait longer than ${MAX_TIMER_MS} ms.`;
    reject(`${at}.windowMs`, windowMs, fix, { least: 1, most: MAX_TIMER_MS });
  }
  if (!['enforce', 'shadow', 'off'].includes(mode)) {
    reject(`${at}.mode`, mode, 'Use "enforce", "shadow" or "off".');
  }
}

function validatePunishment<Context>(
  { level, by, punishment }: ResolvedLevel<Context>,
  at: string,
  reject: Reject,
): void {
  if (!punishment) return;
  const field = `${at}.punishment`;
  if (level === 'global' || typeof by === 'object') {
    const counts = level === 'global' ? 'counts everybody together' : 'counts whatever the caller types in';
    const fix = `"${level}" ${counts}, so a ban would hit others. Punish at user, ip, or a level by the context.`;
    reject(field, punishment, fix);
  }
  const { warnAt, banAt, banMs, lapseMs } = punishment;
  if (!isWhole(banAt, 1, MAX_VIOLATIONS)) {
    reject(`${field}.banAt`, banAt, `Use a whole number from 1 to ${MAX_VIOLATIONS}.`);
  }
  if (!isWhole(warnAt, 1, banAt)) {
    reject(
      `${field}.warnAt`,
      warnAt,
      `Warn before the ban: a whole number from 1 to banAt, which is ${banAt}.`,
    );
  }
  for (const [name, value] of Object.entries({ banMs, lapseMs })) {
    if (!isWhole(value, 1, YEAR_MS)) {
      reject(`${field}.${name}`, value, 'Use whole milliseconds from 1 to a year, as in 1_800_000.');
    }
  }
}

/** Returns true for a whole number in a range, both ends included. */
export function isWhole(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

/** Formats the value of a field for an error. */
export function formatValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
}
