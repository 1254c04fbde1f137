/** One field of what an operator changed. `undefined`: it was not set, or is not any more. */
export interface FieldChange {
  field: string;
  before: unknown;
  after: unknown;
}

/** Counters that each change raises: they tell nothing of what was meant. */
const uninteresting = new Set(['version', 'revision']);

/** The fields that an entry of the audit log changed, in the order in which they stand in it. */
export function auditChanges({
  before,
  after,
}: {
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}): FieldChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !uninteresting.has(field))
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map((field) => ({ field, before: before[field], after: after[field] }));
}
