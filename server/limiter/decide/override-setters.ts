import type { Override, Overrides, PersonChange, PersonOverride } from '../policy/overrides';
import { validateOverrides } from '../policy/validate-overrides';
import type { Persons } from './person';

/** Changes of the overrides of this node. */
export interface OverrideSetters {
  /**
   * Replaces all overrides on this node: of levels (`Override`), and of their subjects (`PersonOverride`). Throws a
   * `PolicyError` for an invalid one, and then changes nothing. An override for a policy that is not used yet is kept;
   * `onWarning` reports one for a level that its policy does not have.
   */
  setOverrides(overrides: readonly Override[], persons?: readonly PersonOverride[]): void;
  /** Replaces the overrides of levels like `setOverrides`, and changes those of some subjects. The others stay. */
  changeOverrides(overrides: readonly Override[], persons: readonly PersonChange[]): void;
}

/** Creates the functions that change the overrides of a node. `onChange` is called after each change. */
export function createOverrideSetters(parts: {
  overrides: Overrides;
  persons: Persons;
  ipv6Prefix: number;
  onChange: () => void;
}): OverrideSetters {
  const { overrides, persons, ipv6Prefix, onChange } = parts;
  return {
    setOverrides(list, personList = []) {
      validateOverrides(list, personList, { ipv6Prefix });
      persons.set(personList);
      overrides.set(list);
      onChange();
    },
    changeOverrides(list, changes) {
      validateOverrides(list, changes, { mayLift: true, ipv6Prefix });
      persons.change(changes);
      overrides.set(list);
      onChange();
    },
  };
}
