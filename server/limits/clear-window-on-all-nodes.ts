import type { Db } from '../db/client';
import { auditLog } from '../db/schema';
import { AppError } from '../errors';
import { GLOBAL_SUBJECT, isPseudonym, type Limiter, maskSubject, ownerOf } from '../limiter';
import type { FleetOverrides } from './fleet-overrides';
import { incrementVersion } from './override-rows';
import type { NamedLevel } from './policy-registry';

export interface ClearWindowOnAllNodesOptions {
  db: Db;
  limiter: Pick<Limiter, 'clear'>;
  overrides: Pick<FleetOverrides, 'publishOverrides'>;
}

export interface NamedWindow extends NamedLevel {
  /** The subject as the level counts it, or its pseudonym, which `/ops` has as `ref`. */
  subject: string;
  /** Id of the user who clears it. */
  who: string;
}

/**
 * Clears a window, writes the audit log, and voids the cached denials of all nodes. The transaction commits after Redis
 * has deleted the window, so a failed call leaves no record, and nodes see the new version afterwards. Throws
 * `StoreUnavailableError`.
 */
export async function clearWindowOnAllNodes(
  { db, limiter, overrides }: ClearWindowOnAllNodesOptions,
  { policy, declared, subject, who }: NamedWindow,
): Promise<void> {
  const { level } = declared;
  const owner = ownerOf(policy, declared);
  await db.transaction(async (tx) => {
    await incrementVersion(tx, { policy: owner, level, who });
    await tx.insert(auditLog).values({
      ...{ who, what: 'limit.clear', target: `${owner}:${level}` },
      before: {},
      after: { subject: level === 'global' ? GLOBAL_SUBJECT : maskSubject(subject) },
    });
    await limiter.clear(policy, { level, subject });
  });
  await overrides.publishOverrides();
}

/**
 * Parses the text that an operator gave into the subject that a level counts: an address into its network, an input
 * field by its schema, any other text unchanged. Throws BAD_REQUEST for a text that is no subject of the level.
 */
export async function parseSubject(
  { policy, declared: { level, by } }: NamedLevel,
  text: string | undefined,
  { normalizeAddress }: { normalizeAddress: (text: string) => string | undefined },
): Promise<string> {
  const name = `"${policy.name}:${level}"`;
  if (level === 'global') {
    if (text !== undefined) throw wrongSubject(`${name} has one window for all callers: give no subject.`);
    return '';
  }
  if (text === undefined) throw wrongSubject(`${name} has a window per subject: give the subject.`);
  if (isPseudonym(text)) return text;
  const field = countedField(level);
  if (isAddressLevel(level)) {
    const address = normalizeAddress(text);
    if (address === undefined)
      throw wrongSubject(`${name} counts addresses: ${JSON.stringify(text)} is not an address.`);
    return address;
  }
  if (typeof by !== 'object') return text;
  // A level named after an input field counts by it: parse the field as the procedure does.
  const parsed = await by.input['~standard'].validate({ [field]: text });
  return parsed.issues ? text : by.subject({ input: parsed.value, context: {} as never });
}

/** Returns true if a level counts addresses. */
export function isAddressLevel(level: string): boolean {
  return countedField(level) === 'ip';
}

/** Both "email" and "email-daily" count by the field "email". */
function countedField(level: string): string {
  return level.replace(/-daily$/, '');
}

function wrongSubject(text: string): AppError {
  return new AppError('BAD_REQUEST', `subject: ${text}`, {
    problem: { field: 'subject', code: 'invalid', text },
  });
}
