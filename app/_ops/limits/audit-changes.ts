/** A changed field of an audit entry. `undefined`: not set. */
export interface FieldChange {
  field: string;
  before: unknown;
  after: unknown;
}

/** Counters that every change raises. */
const uninteresting = new Set(['version', 'revision']);

/** Returns the changed fields of an audit entry, in their order. */
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
