import { lru } from 'tiny-lru';
import { getOrCreate } from '../get-or-create';
import type { Mode, ResolvedLevel, ResolvedPolicy } from './policy';
import { ownerOf } from './shared-levels';
import {
  createReject,
  MAX_LIMIT,
  PolicyError,
  type Reject,
  rejectIn,
  validateWindow,
} from './validate-policy';

/** A changed limit of one level, set by an operator at run time. An absent field keeps its declared value. */
export interface Override {
  /** The name of the policy; `@` and the name of a shared level, whose overrides apply to all its policies. */
  policy: string;
  level: string;
  limit?: number | undefined;
  windowMs?: number | undefined;
  mode?: Mode | undefined;
  /** The queue behind the level takes no new tickets. Default: false. */
  isQueueClosed?: boolean | undefined;
  /** Grows with each change of this level. */
  version: number;
}

/** The rule of an operator for one subject of a level. */
export type PersonRule =
  /** Other numbers. An absent number keeps that of the level, or of the subject's plan. */
  | { kind: 'numbers'; limit?: number | undefined; windowMs?: number | undefined }
  /** The level takes no part in the calls of the subject, unless it is blocked. */
  | { kind: 'exempt' }
  /** An enforced level refuses every call of the subject until this instant, epoch ms by the node's clock. */
  | { kind: 'deny'; until: number };

/** A rule for one subject of a level, or for the addresses of a range. A rule for one subject goes before a range. */
export interface PersonOverride {
  policy: string;
  level: string;
  /** The pseudonym of the subject; of a level of addresses also an address, or a CIDR range, for IPv6 of at most `ipv6Prefix` bits. */
  ref: string;
  rule: PersonRule;
}

/** A changed rule. */
export interface PersonChange extends Omit<PersonOverride, 'rule'> {
  /** `undefined` lifts the rule. */
  rule: PersonRule | undefined;
}

/** A policy with its overrides. */
export interface EffectivePolicy extends ResolvedPolicy {
  levels: readonly EffectiveLevel[];
  /** Changes whenever an override may have changed. */
  version: number;
}

export interface EffectiveLevel extends ResolvedLevel {
  /** The version of the override; 0 without one. */
  version: number;
  /** The queue behind the level takes no new tickets. */
  isQueueClosed?: boolean | undefined;
  /** True if limit and window are those of one caller. They are sent with the call, not in the policy arguments. */
  isPersonal?: boolean;
}

export interface Overrides {
  /** Replaces all overrides. */
  set(overrides: readonly Override[]): void;
  /** Gives every policy a new version, which invalidates its cached denials. */
  renewVersions(): void;
  /** Returns a policy with its overrides. */
  apply(policy: ResolvedPolicy): EffectivePolicy;
  /** Returns the policy of a name that was used last, with its overrides; `undefined` if this node has used none. */
  find(name: string): EffectivePolicy | undefined;
}

/** More than a program has, unless it creates policies while it runs. */
const MAX_FOUND_POLICIES = 1_000;

/**
 * Holds the overrides of a node in memory. An override that its policy cannot have is ignored and reported when the policy
 * is first used, once for each `set`.
 */
export function createOverrides({ onWarning }: { onWarning: (message: string) => void }): Overrides {
  let overrideByLevel = new Map<string, Override>();
  let version = 0;
  let effective = new WeakMap<object, EffectivePolicy>();
  let warned = new Set<string>();
  const used = lru<ResolvedPolicy>(MAX_FOUND_POLICIES);

  function warnOnce(message: string): void {
    if (warned.has(message)) return;
    warned.add(message);
    onWarning(message);
  }

  /** Warns about overrides of levels that a policy does not have. */
  function warnOfUnknownLevels(policy: ResolvedPolicy): void {
    const names = policy.levels.map((level) => nameOf(ownerOf(policy, level), level.level));
    const owners = new Set([policy.name, ...policy.levels.map((level) => ownerOf(policy, level))]);
    for (const [name, override] of overrideByLevel) {
      if (!owners.has(override.policy) || names.includes(name)) continue;
      warnOnce(
        `The override of "${name}" is ignored: there is no such level. Use one of ${names.join(', ')}.`,
      );
    }
  }

  function overrideLevel(policy: ResolvedPolicy, level: ResolvedLevel): EffectiveLevel {
    const override = overrideByLevel.get(nameOf(ownerOf(policy, level), level.level));
    if (!override) return { ...level, version: 0 };
    const changed = {
      ...applyOverride(level, override),
      // An overridden number is the same for all plans.
      plans: level.plans && {
        limit: override.limit === undefined ? level.plans.limit : undefined,
        windowMs: override.windowMs === undefined ? level.plans.windowMs : undefined,
      },
      version: override.version,
      isQueueClosed: override.isQueueClosed,
    };
    try {
      validateOverride(policy, changed);
      return changed;
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      warnOnce(`An override is ignored, except for its mode. ${error.message}`);
      // A block must not end because the limit next to it is invalid.
      const { mode, version, isQueueClosed } = changed;
      return { ...level, mode, version, isQueueClosed };
    }
  }

  function renewVersions(): void {
    version += 1;
    effective = new WeakMap();
  }

  function apply(policy: ResolvedPolicy): EffectivePolicy {
    return getOrCreate(effective, policy, () => {
      used.set(policy.name, policy);
      warnOfUnknownLevels(policy);
      const levels = policy.levels.map((level) => overrideLevel(policy, level));
      return { ...policy, version, levels };
    });
  }

  return {
    set(overrides) {
      overrideByLevel = new Map(overrides.map((one) => [nameOf(one.policy, one.level), one]));
      warned = new Set();
      renewVersions();
    },
    renewVersions,
    apply,
    find(name) {
      const policy = used.get(name);
      return policy && apply(policy);
    },
  };
}

/** The values that an operator changes. An absent value stays unchanged. */
export type LevelValues = Pick<Override, 'limit' | 'windowMs' | 'mode'>;

/** Returns a level with the values of an override. An absent value keeps that of the level. */
export function applyOverride<Level extends LevelValues>(
  level: Level,
  { limit = level.limit, windowMs = level.windowMs, mode = level.mode }: LevelValues,
): Level {
  return { ...level, limit, windowMs, mode };
}

/** Throws a `PolicyError` if the limit or window of a level is invalid. */
export function validateOverride(policy: ResolvedPolicy, level: ResolvedLevel): void {
  const reject: Reject = rejectIn(level.level, createReject(policy.name));
  validateWindow(level, reject);
  if (level.algorithm !== 'in-flight' && level.limit < policy.cost) {
    const range = { least: policy.cost, most: MAX_LIMIT };
    reject('limit', level.limit, `A call costs ${policy.cost}: allow at least that.`, range);
  }
}

/** Returns the name of a level of a policy. */
export function nameOf(policy: string, level: string): string {
  return `${policy}:${level}`;
}
