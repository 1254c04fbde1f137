import { isByPlan } from './by-plan';
import type { ByPlan, InputSubject, Level, Policy, Punishment, QueueOptions } from './policy';
import { validateInFlight } from './validate-in-flight';
import { type Reject, rejectIn } from './validate-policy';
import { validateSettle } from './validate-settle';

/** Names the fields of a type. A new field must be added to each object of this type, else it does not compile. */
export type FieldsOf<Part> = Record<keyof Part, true>;

const POLICY_FIELDS: FieldsOf<Policy> = {
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

export const LEVEL_FIELDS: FieldsOf<Level> = {
  level: true,
  by: true,
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
  concurrent: true,
  leaseMs: true,
};

const PUNISHMENT_FIELDS: FieldsOf<Punishment> = { warnAt: true, banAt: true, banMs: true, lapseMs: true };
const QUEUE_FIELDS: FieldsOf<QueueOptions<never>> = {
  maxLength: true,
  maxWaitMs: true,
  maxPerSubject: true,
  share: true,
  ticket: true,
};
const SHARE_FIELDS: FieldsOf<NonNullable<QueueOptions<never>['share']>> = { by: true, most: true };
const SUBJECT_FIELDS: FieldsOf<InputSubject<never>> = { input: true, subject: true };
const PLAN_FIELDS: FieldsOf<ByPlan<never>> = { values: true, plan: true };

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
    reject('maxCost', maxCost, 'Omit it: without a function, every call has the same `cost`.');
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
  const { punishment, queue, by, when, message } = level;
  for (const field of ['limit', 'windowMs', 'concurrent', 'leaseMs'] as const)
    validatePlans(level[field], field, reject);
  if (message !== undefined) validateMessage(message, reject);
  if (when !== undefined && typeof when !== 'function')
    reject('when', when, 'Use a function of { input, context } that returns true or false.');
  if (punishment !== undefined && !isObject(punishment))
    reject('punishment', punishment, 'Give an object with warnAt, banAt and banMs.');
  const parts = {
    punishment: { value: punishment, fields: PUNISHMENT_FIELDS, of: 'a punishment' },
    queue: { value: queue, fields: QUEUE_FIELDS, of: 'a queue' },
    'queue.share': { value: queue?.share, fields: SHARE_FIELDS, of: 'a share' },
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
