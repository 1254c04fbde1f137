import type { ResolvedPolicy } from './policy';

const YEAR_MS = 366 * 24 * 60 * 60 * 1000;
const MAX_LIMIT = 1_000_000;
const POLICY_NAME = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;
const LEVEL_NAME = /^[a-z][a-z+-]*$/;
const KNOWN_LEVELS: ReadonlySet<string> = new Set(['global', 'user', 'ip']);

/** A policy that makes no sense. Thrown while the procedures are built, so that the mistake stops the start. */
export class PolicyError extends Error {
  constructor(policy: string, field: string, value: unknown, fix: string) {
    super(`Policy "${policy}": ${field} is ${shown(value)}. ${fix}`);
    this.name = 'PolicyError';
  }
}

/** Throws a `PolicyError` that names the policy, the field, the value and the fix. */
export function validatePolicy<Context>(policy: ResolvedPolicy<Context>): void {
  const reject = (field: string, value: unknown, fix: string): never => {
    throw new PolicyError(policy.name, field, value, fix);
  };
  if (!POLICY_NAME.test(policy.name)) {
    reject('name', policy.name, 'Use letters, digits, dots and hyphens, as in "coupon.claim".');
  }
  if (policy.levels.length === 0) reject('levels', [], 'Give at least one level, or say `unlimited`.');
  if (!policy.message.en?.trim()) reject('message.en', policy.message.en, 'Tell a refused caller why.');
  if (!['closed', 'open', 'local'].includes(policy.onStoreError)) {
    reject('onStoreError', policy.onStoreError, 'Use "closed", "open" or "local".');
  }

  const seen = new Set<string>();
  policy.levels.forEach((level, place) => {
    const at = `levels[${place}]`;
    if (!LEVEL_NAME.test(level.level)) {
      reject(`${at}.level`, level.level, 'Use lower-case letters, as in "user" or "email+ip".');
    }
    if (seen.has(level.level)) reject(`${at}.level`, level.level, 'Name each level once.');
    seen.add(level.level);
    if (!KNOWN_LEVELS.has(level.level) && !level.by) {
      reject(`${at}.by`, undefined, `Say by what "${level.level}" counts, or use global, user or ip.`);
    }
    if (KNOWN_LEVELS.has(level.level) && level.by) {
      reject(`${at}.by`, level.by, `"${level.level}" knows whom it counts; give the level another name.`);
    }
    if (level.algorithm !== 'sliding-log') reject(`${at}.algorithm`, level.algorithm, 'Use "sliding-log".');
    if (!isWhole(level.limit, 1, MAX_LIMIT)) {
      reject(`${at}.limit`, level.limit, `Use a whole number from 1 to ${MAX_LIMIT}.`);
    }
    if (!isWhole(level.windowMs, 1, YEAR_MS)) {
      reject(`${at}.windowMs`, level.windowMs, 'Use whole milliseconds from 1 to a year, as in 10_000.');
    }
    if (!isWhole(policy.cost, 1, level.limit)) {
      reject('cost', policy.cost, `Use a whole number from 1 to ${at}.limit, which is ${level.limit}.`);
    }
  });
}

function isWhole(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

function shown(value: unknown): string {
  return typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value));
}
