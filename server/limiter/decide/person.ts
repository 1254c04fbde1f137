import { type LRU, lru } from 'tiny-lru';
import { getOrCreate } from '../get-or-create';
import { toRuleRange } from '../policy/address';
import { type AddressRanges, createAddressRanges } from '../policy/address-ranges';
import {
  applyOverride,
  type EffectiveLevel,
  type EffectivePolicy,
  nameOf,
  type PersonChange,
  type PersonOverride,
  type PersonRule,
  validateOverride,
} from '../policy/overrides';
import type { LevelPlan } from '../policy/policy';
import type { LevelSubject } from '../policy/subject';
import { createReject, PolicyError } from '../policy/validate-policy';
import { type Refused, refuseBlocked, refuseBy, toLevelState, type Window } from './decision';
import type { CallKeys } from './key';

/** A call: its keys, and the subject and the plan of each level. */
export interface PersonCall {
  keys: CallKeys;
  subjects: readonly LevelSubject[];
  plans: readonly (LevelPlan | undefined)[] | undefined;
}

/** A policy as it applies to one call. */
export interface PersonalPolicy {
  /** The levels have the numbers of the caller. A level from which the subject is exempt is `off`. */
  policy: EffectivePolicy;
  /** The refusal that needs no store: by the first level in checking order that is blocked, or denies the subject. */
  denial: Refused | undefined;
}

export interface Persons {
  /** Replaces all overrides. Call it before the overrides of levels are replaced, which voids cached denials. */
  set(overrides: readonly PersonOverride[]): void;
  /** Changes some overrides. Call it before the overrides of levels are replaced, too. */
  change(changes: readonly PersonChange[]): void;
  /** Returns a policy as it applies to one call. Reads memory only. */
  resolve(policy: EffectivePolicy, call: PersonCall): PersonalPolicy;
}

interface LevelRules {
  bySubject: Map<string, PersonRule>;
  byRange: Map<string, PersonRule>;
  /** The search in `byRange`; `undefined` after a change of a range. */
  ranges: AddressRanges<PersonRule> | undefined;
}

/** Callers of one policy with different numbers. Each plan has one entry. */
const MAX_PERSONAL_POLICIES = 1_000;

/**
 * Creates the store of a node's overrides for persons. Numbers that the policy cannot declare (an older release may have
 * set them) are ignored and reported. `clock` returns epoch ms.
 */
export function createPersons({
  onWarning,
  clock,
  ipv6Prefix,
}: {
  onWarning: (message: string) => void;
  clock: () => number;
  ipv6Prefix?: number;
}): Persons {
  let rulesByLevel = new Map<string, LevelRules>();
  let known = new WeakMap<object, KnownPolicy>();
  const warned = new Set<string>();
  const hasEnded = (rule: PersonRule) => rule.kind === 'deny' && rule.until <= clock();
  /** The names of the levels that were reported as unknown since the last change. */
  let unknown = new Set<string>();

  function warnOnce(message: string): void {
    if (warned.has(message)) return;
    warned.add(message);
    onWarning(message);
  }

  /** Warns about rules for subjects of levels that a policy does not have, once for each change of rules. */
  function warnOfUnknownLevels({ name, levels }: EffectivePolicy): void {
    const names = levels.map(({ level }) => nameOf(name, level));
    for (const rules of rulesByLevel.keys()) {
      if (!rules.startsWith(nameOf(name, '')) || names.includes(rules) || unknown.has(rules)) continue;
      unknown.add(rules);
      onWarning(
        `The overrides for subjects of "${rules}" are ignored: there is no such level. Use one of ${names.join(', ')}.`,
      );
    }
  }

  const knownPolicy = (policy: EffectivePolicy) =>
    getOrCreate(known, policy, () => {
      warnOfUnknownLevels(policy);
      const rules = policy.levels.map(({ level }) => rulesByLevel.get(nameOf(policy.name, level)));
      return {
        rules: rules.some((one) => one) ? rules : undefined,
        isBlocked: policy.levels.some(({ mode }) => mode === 'block'),
        personal: lru<EffectivePolicy>(MAX_PERSONAL_POLICIES),
      };
    });

  function personalLevel(
    policy: EffectivePolicy,
    level: EffectiveLevel,
    { rule, plan }: { rule: PersonRule | undefined; plan: LevelPlan | undefined },
  ): EffectiveLevel {
    if (rule?.kind === 'exempt') return level.mode === 'block' ? level : { ...level, mode: 'off' };
    const numbers = rule?.kind === 'numbers' ? rule : undefined;
    if (!numbers && !level.plans) return level;
    const ownNumber = (field: keyof LevelPlan) => {
      const values = level.plans?.[field]?.values;
      const name = plan?.[field];
      if (numbers?.[field] !== undefined || !values || name === undefined) return numbers?.[field];
      if (Object.hasOwn(values, name)) return values[name];
      warnOnce(
        `Level "${policy.name}:${level.level}" has no plan of the name that its callers have. They have the plan "${Object.keys(values)[0]}".`,
      );
      return undefined;
    };
    const own = { limit: ownNumber('limit'), windowMs: ownNumber('windowMs') };
    const changed = { ...applyOverride(level, own), isPersonal: true };
    try {
      rejectOfLeased(policy, own);
      validateOverride(policy, changed);
      return changed;
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      warnOnce(`An override for one subject is ignored. ${error.message}`);
      return numbers ? personalLevel(policy, level, { rule: undefined, plan }) : level;
    }
  }

  /** Returns the policy with the numbers of a caller. Callers with the same numbers share it. */
  function personalPolicy(
    policy: EffectivePolicy,
    rules: readonly (PersonRule | undefined)[],
    plans: PersonCall['plans'],
  ): EffectivePolicy {
    const { personal } = knownPolicy(policy);
    const levels = policy.levels.map((level, index) =>
      personalLevel(policy, level, { rule: rules[index], plan: plans?.[index] }),
    );
    const name = levels.map(({ limit, windowMs, mode }) => `${limit}/${windowMs}/${mode}`).join(' ');
    return getOrCreate(personal, name, () => ({ ...policy, levels }));
  }

  /** Drops the denials that have ended, which are in no change, and the levels without rules. */
  function dropEnded(): void {
    for (const [name, rules] of rulesByLevel) {
      for (const [ref, rule] of rules.bySubject) if (hasEnded(rule)) rules.bySubject.delete(ref);
      for (const [range, rule] of rules.byRange) {
        if (!hasEnded(rule)) continue;
        rules.byRange.delete(range);
        rules.ranges = undefined;
      }
      if (rules.bySubject.size + rules.byRange.size === 0) rulesByLevel.delete(name);
    }
  }

  /** Returns the rule for a subject, or else that of the narrowest range of an address. A denial that has ended is none. */
  function findRule(rules: LevelRules, { ref, subject }: { ref: string; subject: string }) {
    const own = rules.bySubject.get(ref);
    if (own && !hasEnded(own)) return own;
    rules.ranges ??= createAddressRanges(rules.byRange, { isOver: hasEnded });
    return rules.ranges.find(subject);
  }

  function change(changes: readonly PersonChange[]): void {
    for (const { policy, level, ref, rule } of changes) {
      const rules = getOrCreate(rulesByLevel, nameOf(policy, level), createLevelRules);
      const [byRef, key] = isAddress(ref)
        ? [rules.byRange, toRuleRange(ref, { ipv6Prefix }) ?? ref]
        : [rules.bySubject, ref];
      if (rule) byRef.set(key, rule);
      else byRef.delete(key);
      if (byRef === rules.byRange) rules.ranges = undefined;
    }
    dropEnded();
    known = new WeakMap();
    unknown = new Set();
  }

  return {
    set(overrides) {
      rulesByLevel = new Map();
      change(overrides);
    },
    change,

    resolve(policy, { keys, subjects, plans }) {
      const { rules, isBlocked } = knownPolicy(policy);
      if (!rules && !plans && !isBlocked) return { policy, denial: undefined };
      const found = policy.levels.map((_level, index) => {
        const subject = subjects[index];
        const levelRules = rules?.[index];
        if (!levelRules || subject == null) return undefined;
        return findRule(levelRules, { ref: keys.pseudonym(index), subject });
      });
      const hasRule = found.some((rule) => rule);
      const personal = plans || hasRule ? personalPolicy(policy, found, plans) : policy;
      if (!hasRule && !isBlocked) return { policy: personal, denial: undefined };
      return { policy: personal, denial: findDenial(personal, { rules: found, subjects, now: clock() }) };
    },
  };
}

/** Throws a `PolicyError` for numbers of one subject in a policy with a lease, whose batches are for all subjects. */
function rejectOfLeased({ name, levels }: EffectivePolicy, own: { limit: number | undefined }): void {
  if (!levels.some(({ lease }) => lease)) return;
  createReject(name)('limit', own.limit, 'Omit rules with numbers where a level has a lease.');
}

interface KnownPolicy {
  /** The rules of each level; `undefined` if the policy has none. */
  rules: readonly (LevelRules | undefined)[] | undefined;
  /** True if a level is in mode `block`. */
  isBlocked: boolean;
  personal: LRU<EffectivePolicy>;
}

function createLevelRules(): LevelRules {
  return { bySubject: new Map(), byRange: new Map(), ranges: undefined };
}

/** Returns true if the `ref` of an override is an address or a range. A pseudonym has none of these characters. */
function isAddress(ref: string): boolean {
  return /[.:/]/.test(ref);
}

function findDenial(
  policy: EffectivePolicy,
  {
    rules,
    subjects,
    now,
  }: { rules: readonly (PersonRule | undefined)[]; subjects: PersonCall['subjects']; now: number },
): Refused | undefined {
  for (const [index, level] of policy.levels.entries()) {
    if (level.mode === 'block' && subjects[index] != null)
      return refuseBlocked(level, { policy: policy.name, now });
    const rule = rules[index];
    if (rule?.kind !== 'deny' || level.mode !== 'enforce') continue;
    const retryAfterMs = rule.until - now;
    const refusedBy = {
      ...toLevelState(level, { used: 0, retryAfterMs, resetMs: 0 }),
      remaining: 0,
      punished: { violations: 0, warning: false, bannedUntil: rule.until },
    };
    return refuseBy(refusedBy, { policy: policy.name, now, reason: 'banned' });
  }
  return undefined;
}

/** Returns the windows of a caller with the version of their level, marked if personal, and with the ban of a denied subject. */
export function toPersonalWindows(
  windows: readonly Window[],
  policy: EffectivePolicy,
  { policy: personal, denial }: PersonalPolicy,
): Window[] {
  const denied = denial?.reason === 'blocked' ? undefined : denial;
  return windows.map((window) => {
    const isLevel = ({ level }: { level: string }) => level === window.level;
    const own = personal.levels.find(isLevel);
    const common = policy.levels.find(isLevel);
    const isPersonal =
      own?.limit !== common?.limit || own?.windowMs !== common?.windowMs || own?.mode !== common?.mode;
    const state = denied?.refusedBy.level === window.level ? denied.refusedBy : undefined;
    return {
      ...window,
      ...(common?.version && { version: common.version }),
      ...(isPersonal && { personal: true }),
      ...(state?.punished?.bannedUntil && {
        remaining: 0,
        retryAfterMs: state.retryAfterMs,
        bannedUntil: state.punished.bannedUntil,
      }),
    };
  });
}
