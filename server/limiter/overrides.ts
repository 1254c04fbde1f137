import type { Mode, ResolvedLevel, ResolvedPolicy } from './policy';
import { createReject, MAX_LIMIT, PolicyError, type Reject, validateWindow } from './validate-policy';

/** What an operator has changed of one level while the process runs. What is absent stays as declared. */
export interface Override {
  policy: string;
  level: string;
  limit?: number | undefined;
  windowMs?: number | undefined;
  mode?: Mode | undefined;
  /** Grows with each change of this level. */
  version: number;
}

/** A policy as it is in force now. */
export interface EffectivePolicy<Context> extends ResolvedPolicy<Context> {
  levels: readonly EffectiveLevel<Context>[];
  /** Another number whenever anything in force may have changed. */
  version: number;
}

export interface EffectiveLevel<Context> extends ResolvedLevel<Context> {
  /** 0 as declared; else the version of the override. */
  version: number;
}

export interface Overrides {
  /** Replaces all overrides. */
  set(overrides: readonly Override[]): void;
  /** Gives every policy a new version, which voids what is known of its windows. */
  renewVersions(): void;
  /** A policy with what overrides change of it. */
  apply<Context>(policy: ResolvedPolicy<Context>): EffectivePolicy<Context>;
}

/**
 * Holds the overrides of one node. One that makes no sense for the policy as it is declared here (an older deployment
 * may have made it) leaves the level as declared and is reported.
 */
export function createOverrides({ onWarning }: { onWarning: (message: string) => void }): Overrides {
  let overridden = new Map<string, Override>();
  let version = 0;
  let effective = new WeakMap<object, EffectivePolicy<never>>();

  function overrideLevel<Context>(
    policy: ResolvedPolicy<Context>,
    level: ResolvedLevel<Context>,
  ): EffectiveLevel<Context> {
    const override = overridden.get(nameOf(policy.name, level.level));
    if (!override) return { ...level, version: 0 };
    const changed = {
      ...level,
      limit: override.limit ?? level.limit,
      windowMs: override.windowMs ?? level.windowMs,
      mode: override.mode ?? level.mode,
      version: override.version,
    };
    try {
      validateOverride(policy, changed);
      return changed;
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      onWarning(`An override is left out. ${error.message}`);
      return { ...level, version: override.version };
    }
  }

  function renew(): void {
    version += 1;
    effective = new WeakMap();
  }

  return {
    set(overrides) {
      overridden = new Map(overrides.map((override) => [nameOf(override.policy, override.level), override]));
      renew();
    },
    renewVersions: renew,
    apply<Context>(policy: ResolvedPolicy<Context>) {
      // The map holds each policy's own type.
      const known = effective.get(policy) as EffectivePolicy<Context> | undefined;
      if (known) return known;
      const made = { ...policy, version, levels: policy.levels.map((level) => overrideLevel(policy, level)) };
      effective.set(policy, made as EffectivePolicy<never>);
      return made;
    },
  };
}

/** Throws a `PolicyError` where a level of a policy could not be counted by these numbers. */
export function validateOverride<Context>(
  policy: ResolvedPolicy<Context>,
  level: ResolvedLevel<Context>,
): void {
  const reject: Reject = createReject(policy.name);
  validateWindow(level, level.level, reject);
  if (level.limit < policy.cost) {
    const range = { least: policy.cost, most: MAX_LIMIT };
    reject(`${level.level}.limit`, level.limit, `A call costs ${policy.cost}: allow at least that.`, range);
  }
}

function nameOf(policy: string, level: string): string {
  return `${policy}:${level}`;
}
