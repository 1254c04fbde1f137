import { lru } from 'tiny-lru';
import { normalizeAddress } from './address';
import type { ResolvedLevel, ResolvedPolicy } from './policy';
import { maskSubject } from './pseudonym';
import {
  EXCLUDED,
  isMissing,
  type LevelSubject,
  MissingSubjectError,
  SubjectError,
  type Subjects,
} from './subject';

/** Returns the texts that the levels of a policy count, in the order of the levels. */
export interface CountedSubjects {
  /** Of a call to decide. Throws `MissingSubjectError` or `SubjectError`. */
  ofCall(policy: ResolvedPolicy, subjects: Subjects): LevelSubject[];
  /** Of a peek, where a missing subject is `undefined`. Throws `SubjectError`. */
  ofPeek(policy: ResolvedPolicy, subjects: Subjects): LevelSubject[];
  /** Of one level of a call to decide. */
  ofLevel(policy: ResolvedPolicy, level: ResolvedLevel, subject: Subjects[string]): LevelSubject;
}

/** Marks the subject of `ifMissing`. The text of a call that begins with it gets a second one, so that both differ. */
const MARK = '\0';

/** Returns the text that a subject counts as, so that no call can give the subject of `ifMissing`. */
export function escapeSubject(text: string): string {
  return text.startsWith(MARK) ? MARK + text : text;
}

/** A cache, because the same callers call again during a flood. */
const MAX_CACHED_ADDRESSES = 10_000;
/** Longer spellings of addresses are not cached. */
const MAX_CACHED_LENGTH = 50;

/**
 * Creates the functions that turn the subjects of calls into the texts that levels count. The level `ip` counts addresses,
 * IPv6 by `ipv6Prefix` bits.
 */
export function createCountedSubjects({ ipv6Prefix }: { ipv6Prefix: number }): CountedSubjects {
  const addresses = lru<{ counted: string }>(MAX_CACHED_ADDRESSES);

  function countAddress(policy: string, text: string): string {
    const cached = addresses.get(text);
    if (cached) return cached.counted;
    const counted = normalizeAddress(text, { ipv6Prefix });
    if (counted === undefined) {
      // The text is masked, because it may be personal.
      const problem = `is no address and no IPv6 network of at least ${ipv6Prefix} bits ("${maskSubject(text)}")`;
      throw new SubjectError(policy, 'ip', { problem, fix: 'Count it under a name of your own.' });
    }
    if (text.length <= MAX_CACHED_LENGTH) addresses.set(text, { counted });
    return counted;
  }

  function ofPeekedLevel(policy: ResolvedPolicy, { level }: ResolvedLevel, subject: Subjects[string]) {
    if (subject === EXCLUDED) return null;
    if (level === 'global') return '';
    if (isMissing(subject)) return undefined;
    const text = toText(policy.name, level, subject);
    return level === 'ip' ? countAddress(policy.name, text) : escapeSubject(text);
  }

  function ofLevel(policy: ResolvedPolicy, level: ResolvedLevel, subject: Subjects[string]): LevelSubject {
    const counted = ofPeekedLevel(policy, level, subject);
    const { ifMissing } = level;
    if (counted !== undefined || ifMissing === 'skip') return counted;
    if (ifMissing === 'error') throw new MissingSubjectError(policy.name, level.level);
    return MARK + ifMissing.subject;
  }

  return {
    ofCall: (policy, subjects) => policy.levels.map((level) => ofLevel(policy, level, subjects[level.level])),
    ofPeek: (policy, subjects) =>
      policy.levels.map((level) => ofPeekedLevel(policy, level, subjects[level.level])),
    ofLevel,
  };
}

function toText(policy: string, level: string, subject: unknown): string {
  if (typeof subject === 'string') return subject;
  if (typeof subject === 'bigint' || Number.isFinite(subject)) return String(subject);
  throw new SubjectError(policy, level, {
    problem: `is ${nameType(subject)}`,
    fix: 'Give a text or a number; null or undefined where a call has none.',
  });
}

function nameType(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
