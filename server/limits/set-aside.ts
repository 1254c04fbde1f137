import {
  applyOverride,
  type Override,
  ownerOf,
  type PersonChange,
  PolicyError,
  validateOverride,
  validateOverrideFields,
  validatePersonFields,
} from '../limiter/index';
import type { Log } from '../observability/log';
import type { PolicyRegistry } from './policy-registry';

/** Stored overrides without those that this release cannot apply. */
export interface SetAside {
  /** Returns the overrides that apply. Of one with invalid numbers, the mode and the closed queue apply. */
  keepOverrides(overrides: readonly Override[]): Override[];
  /** Returns the rules for subjects that apply. */
  keepPersons<Rule extends PersonChange>(persons: readonly Rule[]): Rule[];
}

/**
 * Creates the filter of stored overrides, which may be of another release. It logs one warning for each row that it sets
 * aside. Without policies it checks the fields only.
 */
export function createSetAside({
  policies,
  log,
}: {
  policies: PolicyRegistry;
  log: Pick<Log, 'warn'>;
}): SetAside {
  const warned = new Set<string>();

  /** Runs the checks of a row. Returns false, after a warning, if one throws. */
  function isValid(row: { policy: string; level: string; ref?: string }, check: () => void): boolean {
    try {
      check();
      return true;
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      const name = JSON.stringify(row);
      if (!warned.has(name)) {
        const { policy, level, ref } = row;
        log.warn({ policy, level, ref, reason: error.message }, 'A stored override does not apply.');
      }
      warned.add(name);
      return false;
    }
  }

  return {
    keepOverrides: (overrides) =>
      overrides.flatMap((override) => {
        const { limit: _limit, windowMs: _windowMs, ...others } = override;
        const levels = policies.flatMap((policy) =>
          policy.levels
            .filter((declared) => ownerOf(policy, declared) === override.policy)
            .map((declared) => ({ ...declared, policy })),
        );
        const isKnown = policies.length === 0 || levels.some(({ level }) => level === override.level);
        // A row without values holds a version only, also that of rules for subjects of a shared level.
        if (!isKnown && !hasValues(override)) return [];
        const hasLevel = isValid(override, () => {
          if (!isKnown) rejectUnknown(override, levels);
          validateOverrideFields({ ...others, limit: undefined });
        });
        if (!hasLevel) return [];
        const hasNumbers = isValid(override, () => {
          validateOverrideFields(override);
          for (const { policy, ...declared } of levels)
            if (declared.level === override.level)
              validateOverride(policy, applyOverride(declared, override));
        });
        return hasNumbers ? [override] : [others];
      }),

    keepPersons: (persons) =>
      persons.filter((person) => {
        const { rule } = person;
        const policy = policies.find(({ name }) => name === person.policy);
        const declared = policy?.levels.find(({ level }) => level === person.level);
        const isUnknown = policies.length > 0 && !declared;
        if (isUnknown && !rule) return false;
        return isValid(person, () => {
          if (isUnknown) rejectUnknown(person, policy?.levels);
          validatePersonFields(person, { mayLift: true });
          if (policy && declared && rule?.kind === 'numbers')
            validateOverride(policy, applyOverride(declared, rule));
        });
      }),
  };
}

function hasValues({ limit, windowMs, mode, isQueueClosed }: Override): boolean {
  return limit !== undefined || windowMs !== undefined || mode !== undefined || isQueueClosed === true;
}

function rejectUnknown(
  { policy, level }: { policy: string; level: string },
  levels: readonly { level: string }[] = [],
): never {
  const names = levels.map((declared) => declared.level).join(', ');
  throw levels.length === 0
    ? new PolicyError(policy, { field: 'name', value: policy, fix: 'No procedure of this release has it.' })
    : new PolicyError(policy, { field: 'level', value: level, fix: `This release has ${names}.` });
}
