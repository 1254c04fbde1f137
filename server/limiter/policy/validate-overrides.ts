import { describeType, isWhole, LimiterOptionError, type OptionNames } from '../options';
import { type AddressOptions, toRuleRange } from './address';
import type { Override, PersonChange, PersonRule } from './overrides';
import { GLOBAL_SUBJECT, isPseudonym } from './pseudonym';
import { rejectUnknownFields } from './validate-fields';
import {
  createReject,
  LEVEL_NAME,
  MAX_LIMIT,
  POLICY_NAME,
  type Reject,
  rejectIn,
  validateMode,
  YEAR_MS,
} from './validate-policy';

const OVERRIDE_FIELDS: OptionNames<Override> = {
  policy: true,
  level: true,
  limit: true,
  windowMs: true,
  mode: true,
  isQueueClosed: true,
  version: true,
};

const PERSON_FIELDS: OptionNames<PersonChange> = { policy: true, level: true, ref: true, rule: true };

/** The fields of the rules by their kind. */
const RULE_FIELDS: { [Kind in PersonRule['kind']]: OptionNames<Extract<PersonRule, { kind: Kind }>> } = {
  numbers: { kind: true, limit: true, windowMs: true },
  exempt: { kind: true },
  deny: { kind: true, until: true },
};

interface PersonCheck extends AddressOptions {
  /** The place of the override in errors. */
  at?: string;
  /** A change may have no rule. Default: false. */
  mayLift?: boolean;
}

/** Throws a `LimiterOptionError` for what is no list, and a `PolicyError` for the first invalid override of a list. */
export function validateOverrides(
  overrides: readonly Override[],
  persons: readonly PersonChange[],
  options: PersonCheck = {},
): void {
  for (const [field, list] of Object.entries({ overrides, persons })) {
    if (Array.isArray(list)) continue;
    const name = options.mayLift ? 'changeOverrides' : 'setOverrides';
    throw new LimiterOptionError(field, describeType(list), 'Give a list. [] has none.', name);
  }
  for (const [index, override] of overrides.entries())
    validateOverrideFields(override, `overrides[${index}]`);
  for (const [index, person] of persons.entries())
    validatePersonFields(person, { ...options, at: `persons[${index}]` });
}

/**
 * Throws a `PolicyError` for an override of a level that no policy can have. It checks what the compiler cannot: overrides
 * read from a database or a file, or written in JavaScript. Its policy may not be declared yet.
 */
export function validateOverrideFields(override: Override, at = 'override'): void {
  const reject: Reject = rejectEntry(override, at);
  rejectUnknownFields(override, { fields: OVERRIDE_FIELDS, of: 'an override' }, reject);
  const { limit, windowMs, mode, isQueueClosed, version } = override;
  validateNames(override, reject);
  validateNumbers({ limit, windowMs }, reject);
  if (mode !== undefined) validateMode(mode, reject);
  if (isQueueClosed !== undefined && typeof isQueueClosed !== 'boolean')
    reject('isQueueClosed', isQueueClosed, 'Use true or false.');
  if (!isWhole(version, 0, Number.MAX_SAFE_INTEGER))
    reject('version', version, 'Use a whole number that grows with each change of this level.');
}

/** Throws a `PolicyError` for an override of one subject that no policy can have. A change may lift it. */
export function validatePersonFields(
  person: PersonChange,
  { at = 'person', mayLift = false, ...options }: PersonCheck = {},
): void {
  const reject: Reject = rejectEntry(person, at);
  rejectUnknownFields(person, { fields: PERSON_FIELDS, of: 'an override for one subject' }, reject);
  const { policy, ref, rule } = person;
  validateNames(person, reject);
  if (policy.startsWith('@'))
    reject('policy', policy, 'Use the name of each policy that has the shared level.');
  const isRef =
    typeof ref === 'string' &&
    (isPseudonym(ref) || ref === GLOBAL_SUBJECT || toRuleRange(ref, options) !== undefined);
  if (!isRef)
    reject('ref', ref, 'Use limiter.pseudonymOf(subject), an address, or a CIDR range as in "10.0.0.0/8".');
  if (rule !== undefined || !mayLift) validateRule(rule, reject);
}

function validateRule(rule: unknown, reject: Reject): void {
  if (typeof rule !== 'object' || rule === null)
    reject('rule', rule, 'Give an object, as in { kind: "numbers", limit: 5 }.');
  const rejectField: Reject = rejectIn('rule', reject);
  const { kind, limit, windowMs, until }: Record<string, unknown> = { ...rule };
  if (!isKind(kind)) rejectField('kind', kind, `Use one of ${Object.keys(RULE_FIELDS).join(', ')}.`);
  rejectUnknownFields(rule, { fields: RULE_FIELDS[kind], of: `a rule of the kind "${kind}"` }, rejectField);
  validateNumbers({ limit, windowMs }, rejectField);
  if (kind === 'deny' && !Number.isFinite(until))
    rejectField('until', until, 'Use an instant in epoch ms, at which the denial ends.');
}

function isKind(kind: unknown): kind is PersonRule['kind'] {
  return typeof kind === 'string' && Object.hasOwn(RULE_FIELDS, kind);
}

function validateNames({ policy, level }: { policy: unknown; level: unknown }, reject: Reject): void {
  // The overrides of a shared level have its name after an `@`.
  if (typeof policy !== 'string' || !POLICY_NAME.test(policy.replace(/^@/, '')))
    reject('policy', policy, 'Use the name of a policy, or "@" and the name of a shared level.');
  if (typeof level !== 'string' || !LEVEL_NAME.test(level))
    reject('level', level, 'Use the name of a level, as in "user".');
}

function validateNumbers({ limit, windowMs }: { limit: unknown; windowMs: unknown }, reject: Reject): void {
  if (limit !== undefined && !isWhole(limit, 1, MAX_LIMIT)) {
    const fix = `Use a whole number from 1 to ${MAX_LIMIT}. To refuse every call, use mode: "block".`;
    reject('limit', limit, fix, { least: 1, most: MAX_LIMIT });
  }
  if (windowMs !== undefined && !isWhole(windowMs, 1, YEAR_MS)) {
    const range = { least: 1, most: YEAR_MS };
    reject('windowMs', windowMs, 'Use whole milliseconds from 1 to a year, as in 10_000.', range);
  }
}

/** Rejects an entry that is no object. Returns the function that rejects its fields. */
function rejectEntry(entry: unknown, at: string): Reject {
  const isEntry = typeof entry === 'object' && entry !== null;
  const { policy } = isEntry ? (entry as { policy?: unknown }) : {};
  const reject: Reject = createReject(typeof policy === 'string' ? policy : '');
  if (!isEntry) reject(at, entry, 'Give an object with a policy and a level.');
  return rejectIn(at, reject);
}
