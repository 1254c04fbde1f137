import { isWhole, type OptionNames } from '../options';
import { isByPlan } from './by-plan';
import type {
  ByPlan,
  InputSubject,
  LeaseOptions,
  Level,
  Policy,
  Punishment,
  QueueOptions,
  WindowField,
} from './policy';
import { MAX_LEASE_MS, type Reject, rejectIn } from './validate-policy';

const POLICY_FIELDS: OptionNames<Policy> = {
  name: true,
  levels: true,
  message: true,
  onStoreError: true,
  cost: true,
  maxCost: true,
  requestId: true,
  settle: true,
  settleMs: true,
};

export const LEVEL_FIELDS: OptionNames<Level> = {
  level: true,
  by: true,
  counts: true,
  algorithm: true,
  limit: true,
  windowMs: true,
  subWindows: true,
  mode: true,
  punishment: true,
  when: true,
  ifMissing: true,
  message: true,
  shared: true,
  queue: true,
  lease: true,
  concurrent: true,
  leaseMs: true,
};

const PUNISHMENT_FIELDS: OptionNames<Punishment> = { warnAt: true, banAt: true, banMs: true, lapseMs: true };
const QUEUE_FIELDS: OptionNames<QueueOptions<never>> = {
  maxLength: true,
  maxWaitMs: true,
  maxPerSubject: true,
  share: true,
  ticket: true,
};
const SHARE_FIELDS: OptionNames<NonNullable<QueueOptions<never>['share']>> = { by: true, most: true };
const LEASE_FIELDS: OptionNames<LeaseOptions> = { forMs: true, maxUnits: true };
const SUBJECT_FIELDS: OptionNames<InputSubject<never>> = { input: true, subject: true };
const PLAN_FIELDS: OptionNames<ByPlan<never>> = { values: true, plan: true };

/**
 * Rejects a policy that lacks a required object or has an unknown field. It checks what the compiler cannot: policies
 * written in JavaScript, read from a file, or of a widened type. A misspelt `onStoreError` would otherwise be ignored.
 */
export function validateFields(policy: object, reject: Reject): void {
  rejectUnknownFields(policy, { fields: POLICY_FIELDS, of: 'a policy' }, reject);
  const { levels, message, requestId, cost, maxCost } = policy as Record<keyof Policy, unknown>;
  if (!Array.isArray(levels)) reject('levels', levels, 'Give a list of levels, or say `unlimited`.');
  validateMessage(message, reject);
  if (requestId !== undefined && typeof requestId !== 'function')
    reject('requestId', requestId, 'Use a function of { input, context }.');
  if (typeof cost === 'function' && maxCost === undefined)
    reject('maxCost', maxCost, 'Declare the greatest cost that the function `cost` returns.');
  if (typeof cost !== 'function' && maxCost !== undefined)
    reject(
      'maxCost',
      maxCost,
      cost === undefined
        ? 'Give a function as `cost`, too: a procedure does not state the cost of a call.'
        : 'Omit it, because every call has the same `cost`; or omit `cost`, so that each call of `check` states its own.',
    );
  for (const [index, level] of levels.entries()) {
    const at = `levels[${index}]`;
    if (!isObject(level))
      reject(at, level, 'Give an object, as in { level: "user", limit: 5, windowMs: 10_000 }.');
    rejectUnknownFields(level, { fields: LEVEL_FIELDS, of: 'a level' }, rejectIn(at, reject));
    validateInFlight(policy, level, { at, reject });
    validateLevelFields(level, rejectIn(at, reject));
  }
  validateSettle(policy, reject);
}

function validateLevelFields(level: Partial<Level>, reject: Reject): void {
  const { punishment, queue, lease, by, when, message } = level;
  for (const field of ['limit', 'windowMs', 'concurrent', 'leaseMs'] as const)
    validatePlans(level[field], field, reject);
  if (message !== undefined) validateMessage(message, reject);
  if (when !== undefined && typeof when !== 'function')
    reject('when', when, 'Use a function of { input, context } that returns true or false.');
  if (punishment !== undefined && !isObject(punishment))
    reject('punishment', punishment, 'Give an object with warnAt, banAt and banMs.');
  if (lease !== undefined && !isObject(lease))
    reject('lease', lease, 'Give an object, as in { forMs: 500 }.');
  const parts = {
    punishment: { value: punishment, fields: PUNISHMENT_FIELDS, of: 'a punishment' },
    queue: { value: queue, fields: QUEUE_FIELDS, of: 'a queue' },
    'queue.share': { value: queue?.share, fields: SHARE_FIELDS, of: 'a share' },
    lease: { value: lease, fields: LEASE_FIELDS, of: 'a lease' },
    by: { value: isObject(by) && 'input' in by && by, fields: SUBJECT_FIELDS, of: 'keyedBy' },
  };
  for (const [name, { value, ...fields }] of Object.entries(parts))
    if (isObject(value)) rejectUnknownFields(value, fields, rejectIn(name, reject));
}

function validateMessage(message: unknown, reject: Reject): void {
  if (!isObject(message))
    reject('message', message, 'Give the text of a refusal by language, as in { en: "Too many calls." }.');
  for (const [language, text] of Object.entries<unknown>({ en: undefined, ...message })) {
    if (typeof text === 'string' && text.trim() !== '') continue;
    reject(`message.${language}`, text, 'Give the reason for a refusal.');
  }
}

/** A text that is a whole number would change the order of the plans, and so the first plan. */
const PLAN_NAME = /^[A-Za-z][A-Za-z0-9.-]*$/;

/** Rejects a number by plan that `byPlan` cannot have created, or that has no plan. The policy's validation checks values. */
function validatePlans(number: number | ByPlan<never> | undefined, field: string, reject: Reject): void {
  if (!isByPlan(number)) return;
  const { values, plan }: Partial<ByPlan<never>> = number;
  if (!isObject(values) || typeof plan !== 'function')
    reject(field, number, 'Use a number, or byPlan({ free: 5, vip: 20 }, ({ context }) => …).');
  rejectUnknownFields(number, { fields: PLAN_FIELDS, of: 'byPlan' }, rejectIn(field, reject));
  if (Object.keys(values).length === 0) reject(field, values, 'Give at least one plan, as in { free: 5 }.');
  for (const name of Object.keys(values)) {
    if (PLAN_NAME.test(name)) continue;
    const fix = 'Begin the name of a plan with a letter, then letters, digits, dots and hyphens.';
    reject(`${field}.${name}`, name, fix);
  }
}

/** Rejects the first field that an object should not have. */
export function rejectUnknownFields(
  value: object,
  { fields, of }: { fields: object; of: string },
  reject: Reject,
): void {
  for (const [field, held] of Object.entries(value)) {
    if (Object.hasOwn(fields, field)) continue;
    reject(field, held, `This is not a field of ${of}. Use ${Object.keys(fields).join(', ')}.`);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const SETTLE_WORDS: readonly unknown[] = ['failures', 'successes', 'units'];

/** Rejects a policy whose calls cannot be settled. Its levels are objects. */
export function validateSettle(
  { settle, settleMs, requestId, levels = [] }: Partial<Policy>,
  reject: Reject,
): void {
  if (settle === undefined) {
    if (settleMs !== undefined) reject('settleMs', settleMs, 'Give settle too, or omit it.');
    return;
  }
  if (!SETTLE_WORDS.includes(settle) && typeof settle !== 'function') {
    const fix =
      'Use a function of the outcome that returns the units to keep, "failures", "successes" or "units".';
    reject('settle', settle, fix);
  }
  if (settleMs !== undefined && !isWhole(settleMs, 1, MAX_LEASE_MS)) {
    const range = { least: 1, most: MAX_LEASE_MS };
    reject('settleMs', settleMs, 'Use whole milliseconds from 1 to an hour, as in 60_000.', range);
  }
  if (requestId !== undefined) {
    const fix =
      'Remove it, or the requestId: a repeated id is admitted because its units are charged, so they cannot return.';
    reject('settle', settle, fix);
  }
  for (const [index, level] of levels.entries()) validateLevel(level, rejectIn(`levels[${index}]`, reject));
}

function validateLevel(level: Policy['levels'][number], reject: Reject): void {
  const { algorithm = 'sliding-log', limit, windowMs, punishment } = level;
  if (algorithm === 'leaky-bucket') {
    const fix =
      'Use another algorithm with settle: the calls behind a reservation keep their start, so calls that get its units would start next to them.';
    reject('algorithm', algorithm, fix);
  }
  if (punishment !== undefined) {
    const fix =
      'Remove it, or settle: a level punishes attempts, and attempts whose units return could go on without end.';
    reject('punishment', punishment, fix);
  }
  if (algorithm === 'sliding-log') return;
  const byPlan =
    (isByPlan(windowMs) && 'windowMs') || (algorithm === 'token-bucket' && isByPlan(limit) && 'limit');
  if (byPlan) {
    const fix = `Use a sliding-log with settle: a ${algorithm} does not store by which plan a unit was charged.`;
    reject(byPlan, 'byPlan', fix);
  }
}

/** The fields of a window, which a level with `concurrent` cannot have, and the reason. */
const WINDOW_FIELDS = {
  limit: 'Use concurrent alone, which is the number of calls at the same time.',
  windowMs: 'Use leaseMs alone: calls in flight have no window.',
  algorithm: 'Remove it: concurrent counts calls in flight, which have no window.',
  subWindows: 'Remove it: calls in flight have no window.',
  shared: 'Remove it: each policy counts its own calls in flight.',
  queue: 'Remove it: the end of a call in flight is unknown, so a queue could promise no turn.',
  lease: 'Remove it: a lease takes units of a window, and calls in flight have none.',
  punishment:
    'Punish at a level with a window: a second call at the same time may be a retry of a slow network.',
} satisfies Record<WindowField, string>;

/** Rejects a level that mixes a window and calls in flight, or calls in flight in a policy that cannot have them. */
export function validateInFlight(
  { requestId, onStoreError }: Partial<Policy>,
  level: Partial<Record<keyof Level, unknown>>,
  { at, reject }: { at: string; reject: Reject },
): void {
  const { concurrent, leaseMs, limit, windowMs, algorithm } = level;
  if (concurrent === undefined) {
    if (leaseMs !== undefined)
      reject(`${at}.leaseMs`, leaseMs, 'Give concurrent too, the number of calls at the same time.');
    if (algorithm === 'in-flight')
      reject(`${at}.algorithm`, algorithm, 'Give concurrent and leaseMs instead of limit and windowMs.');
    if (limit === undefined) reject(`${at}.limit`, limit, 'Give a whole number, or concurrent and leaseMs.');
    if (windowMs === undefined) reject(`${at}.windowMs`, windowMs, 'Give whole milliseconds, as in 10_000.');
    return;
  }
  for (const [field, fix] of Object.entries(WINDOW_FIELDS)) {
    const value = level[field as WindowField];
    if (value !== undefined) reject(`${at}.${field}`, value, fix);
  }
  if (leaseMs === undefined) {
    const fix = 'Give the time after which a call of a dead node no longer counts, as in 30_000.';
    reject(`${at}.leaseMs`, leaseMs, fix);
  }
  if (requestId !== undefined) {
    const fix = `A repeated call charges nothing, so it would run without a lease of ${at}. Give the level a policy of its own.`;
    reject('requestId', requestId, fix);
  }
  if (onStoreError === 'local') {
    const fix = `Use "closed" or "open": a node alone cannot count the calls in flight of ${at}.`;
    reject('onStoreError', onStoreError, fix);
  }
}
