import { isWhole } from '../options';
import type { QueueOptions, ResolvedLevel, ResolvedPolicy } from './policy';
import type { Reject } from './validate-policy';

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
  if (typeof queue !== 'object' || queue === null) {
    reject(field, queue, 'Give maxLength and maxWaitMs, as in { maxLength: 5_000, maxWaitMs: 600_000 }.');
  }
  if (queue.ticket !== undefined && typeof queue.ticket !== 'function') {
    reject(`${field}.ticket`, queue.ticket, 'Use a function that returns { group, payload } or undefined.');
  }
  if (!isWhole(queue.maxLength, 1, MAX_LENGTH)) {
    reject(`${field}.maxLength`, queue.maxLength, `Use a whole number from 1 to ${MAX_LENGTH}.`);
  }
  if (!isWhole(queue.maxWaitMs, MIN_WAIT_MS, MAX_WAIT_MS)) {
    const fix = 'Use whole milliseconds from a second to a day, as in 600_000.';
    reject(`${field}.maxWaitMs`, queue.maxWaitMs, fix);
  }
  validateShares(queue, { field, reject });
  if (level !== 'global') {
    reject(
      field,
      queue,
      `Queue at "global": callers wait for a common window, and "${level}" is not common.`,
    );
  }
  if (algorithm !== 'sliding-log') {
    const fix = `Use the algorithm "sliding-log": ${algorithm} does not hold the instant at which each place frees.`;
    reject(field, queue, fix);
  }
  validatePolicyOfQueue(policy, { field, queue, reject });
}

/** Rejects invalid bounds on the tickets of one caller or of callers with something in common. */
function validateShares(
  { maxPerSubject, share }: QueueOptions<never>,
  { field, reject }: { field: string; reject: Reject },
): void {
  if (maxPerSubject !== undefined && !isWhole(maxPerSubject, 1, MAX_PER_SUBJECT)) {
    reject(`${field}.maxPerSubject`, maxPerSubject, `Use a whole number from 1 to ${MAX_PER_SUBJECT}.`);
  }
  if (share === undefined) return;
  if (typeof share !== 'object' || share === null) {
    reject(`${field}.share`, share, 'Give by and most, as in { by: ({ ip }) => ip, most: 500 }.');
  }
  if (typeof share.by !== 'function') {
    reject(`${field}.share.by`, share.by, 'Use a function of the context that returns a text.');
  }
  if (!isWhole(share.most, 1, MAX_LENGTH)) {
    reject(`${field}.share.most`, share.most, `Use a whole number from 1 to ${MAX_LENGTH}.`);
  }
}

/** Rejects a policy whose other parts cannot be combined with a queue. */
function validatePolicyOfQueue(
  { levels, cost, costOf, settle, requestId }: ResolvedPolicy,
  { field, queue, reject }: { field: string; queue: object; reject: Reject },
): void {
  if (costOf || cost !== 1) {
    reject('cost', costOf ?? cost, `Use 1: a ticket of ${field} takes one place.`);
  }
  if (settle !== undefined) {
    reject(
      'settle',
      settle,
      `Remove it: returned units would free the window earlier than ${field} promised its tickets.`,
    );
  }
  if (!requestId) {
    reject(
      'requestId',
      requestId,
      `Give one: it identifies the call of a ticket of ${field} when it is served.`,
    );
  }
  if (levels.at(-1)?.queue !== queue || levels.length === 1) {
    const fix = 'Make it the last of several levels: the first names the caller, who has one ticket.';
    reject(field, queue, fix);
  }
  for (const [index, other] of levels.entries()) {
    const at = `levels[${index}]`;
    if (other.shared !== undefined) {
      reject(`${at}.shared`, other.shared, `Remove it: a call of another policy would overtake ${field}.`);
    }
    if (other.algorithm === 'in-flight') {
      const fix = `Give it a policy of its own: a waiting ticket of ${field} would hold a lease.`;
      reject(`${at}.concurrent`, other.limit, fix);
    }
    if (other.punishment !== undefined) {
      const fix = `Remove it: a ban would not end the waiting tickets of ${field}. Operators end them by a denial.`;
      reject(`${at}.punishment`, other.punishment, fix);
    }
    if (other.algorithm === 'leaky-bucket') {
      const fix = `Use another algorithm: a ticket of ${field} cannot wait in a second queue.`;
      reject(`${at}.algorithm`, other.algorithm, fix);
    }
    if (other.queue !== queue && typeof other.by === 'object') {
      const fix = `Use a level that names its caller: ${field} is the only one that may count many callers together.`;
      reject(`${at}.by`, 'keyedBy', fix);
    }
  }
}
