import { isWhole } from '../options';
import type { QueueOptions, ResolvedLevel, ResolvedPolicy } from './policy';
import { type Reject, rejectIn } from './validate-policy';

const MAX_LENGTH = 100_000;
const MAX_PER_SUBJECT = 1_000;
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 24 * 60 * 60 * 1000;

/** Rejects a queue with invalid options, or with a level or policy that it cannot be combined with. */
export function validateQueue(
  policy: ResolvedPolicy,
  { level, algorithm, queue }: ResolvedLevel,
  { at, reject }: { at: string; reject: Reject },
): void {
  if (queue === undefined) return;
  const field = `${at}.queue`;
  if (typeof queue !== 'object' || queue === null)
    reject(field, queue, 'Give maxLength and maxWaitMs, as in { maxLength: 5_000, maxWaitMs: 600_000 }.');
  validateBounds(queue, rejectIn(field, reject));
  if (level !== 'global') {
    const fix = `Queue at "global": callers wait for a common window, and "${level}" is not common.`;
    reject(field, queue, fix);
  }
  if (algorithm !== 'sliding-log') {
    const fix = `Use the algorithm "sliding-log": ${algorithm} does not hold the instant at which each place frees.`;
    reject(field, queue, fix);
  }
  validatePolicyOfQueue(policy, { field, queue, reject });
}

function validateBounds(
  { maxLength, maxWaitMs, maxPerSubject = 1, share, ticket }: QueueOptions<never>,
  reject: Reject,
): void {
  const wholeTo = (max: number) => `Use a whole number from 1 to ${max}.`;
  if (ticket !== undefined && typeof ticket !== 'function')
    reject('ticket', ticket, 'Use a function that returns { group, payload } or undefined.');
  if (!isWhole(maxLength, 1, MAX_LENGTH)) reject('maxLength', maxLength, wholeTo(MAX_LENGTH));
  if (!isWhole(maxWaitMs, MIN_WAIT_MS, MAX_WAIT_MS))
    reject('maxWaitMs', maxWaitMs, 'Use whole milliseconds from a second to a day, as in 600_000.');
  if (!isWhole(maxPerSubject, 1, MAX_PER_SUBJECT))
    reject('maxPerSubject', maxPerSubject, wholeTo(MAX_PER_SUBJECT));
  if (share === undefined) return;
  if (typeof share !== 'object' || share === null)
    reject('share', share, 'Give by and most, as in { by: ({ ip }) => ip, most: 500 }.');
  if (typeof share.by !== 'function')
    reject('share.by', share.by, 'Use a function of the context that returns a text.');
  if (!isWhole(share.most, 1, MAX_LENGTH)) reject('share.most', share.most, wholeTo(MAX_LENGTH));
}

/** Rejects a policy whose other parts cannot be combined with a queue. */
function validatePolicyOfQueue(
  { levels, cost, costOf, settle, requestId }: ResolvedPolicy,
  { field, queue, reject }: { field: string; queue: object; reject: Reject },
): void {
  if (costOf || cost !== 1) reject('cost', costOf ?? cost, `Use 1: a ticket of ${field} takes one place.`);
  if (settle !== undefined) {
    const fix = `Remove it: returned units would free the window earlier than ${field} promised its tickets.`;
    reject('settle', settle, fix);
  }
  if (!requestId) {
    const fix = `Give one: it identifies the call of a ticket of ${field} when it is served.`;
    reject('requestId', requestId, fix);
  }
  if (levels.at(-1)?.queue !== queue || levels.length === 1) {
    const fix = 'Make it the last of several levels: the first names the caller, who has one ticket.';
    reject(field, queue, fix);
  }
  for (const [index, { shared, algorithm, limit, punishment, queue: own, by }] of levels.entries()) {
    /** The fields that another level cannot have, each with its value if it has one. */
    const conflicts: readonly (readonly [field: string, value: unknown, fix: string])[] = [
      ['shared', shared, `Remove it: a call of another policy would overtake ${field}.`],
      [
        'concurrent',
        algorithm === 'in-flight' ? limit : undefined,
        `Give it a policy of its own: a waiting ticket of ${field} would hold a lease.`,
      ],
      [
        'punishment',
        punishment,
        `Remove it: a ban would not end the waiting tickets of ${field}. Operators end them by a denial.`,
      ],
      [
        'algorithm',
        algorithm === 'leaky-bucket' ? algorithm : undefined,
        `Use another algorithm: a ticket of ${field} cannot wait in a second queue.`,
      ],
      [
        'by',
        own !== queue && typeof by === 'object' ? 'keyedBy' : undefined,
        `Use a level that names its caller: ${field} is the only one that may count many callers together.`,
      ],
    ];
    for (const [name, value, fix] of conflicts)
      if (value !== undefined) reject(`levels[${index}].${name}`, value, fix);
  }
}
