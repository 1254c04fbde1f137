import { createRandomId } from '../crypto';
import { getOrCreate } from '../get-or-create';
import { LimiterOptionError, rejectUnknownOptions } from '../options';
import type { CountedSubjects } from '../policy/counted-subjects';
import { type ReadablePolicy, resolveReadablePolicy } from '../policy/named-policy';
import type { RequestId, ResolvedPolicy, Subject } from '../policy/policy';
import { isPseudonym } from '../policy/pseudonym';
import { isMissing, type LevelSubject } from '../policy/subject';
import type { Store } from '../stores/store';
import { withinStoreTimeout } from '../stores/store-timeout';
import { generationKeyOf, type Keys } from './key';
import { toRequestId } from './request-id';

/** One window of a policy: the name of its level and its subject, which `global` has not. */
export interface WindowOf<P extends ReadablePolicy> {
  level: P['levels'][number]['level'];
  subject?: Subject;
}

/** Deletions in the store. They throw `StoreUnavailableError`. */
export interface Deletions {
  /**
   * Deletes one window in the store and the cached denials of this node. Other nodes trust theirs for up to 10 s. Bans,
   * violations and request ids stay. Calls that were charged before settle nothing on it. `subject` may be a pseudonym. The
   * level `global` has none; at a level with a subject in `ifMissing`, no subject stands for that one.
   */
  clear<const P extends ReadablePolicy>(policy: P, window: WindowOf<P>): Promise<void>;
  /**
   * Clears all windows of a policy, like `clear`, of all its subjects. It visits every key of the store, in steps of a millisecond,
   * so a decision between two steps may count in a window that is cleared after it.
   */
  reset(policy: ReadablePolicy): Promise<void>;
  /**
   * Makes a request id unused again, for a call that was refused after a decision had charged the id. The policy must
   * have several levels.
   */
  releaseRequestId(policy: ResolvedPolicy, requestId: string | RequestId): Promise<void>;
}

/** Creates the functions that delete keys. `timeoutMs` is the timeout of all calls of a deletion together. */
export function createDeletions(parts: {
  keys: Keys;
  countedSubjects: CountedSubjects;
  store: Store;
  timeoutMs: number;
  /** Called after a window was cleared. */
  onClear: () => void;
}): Deletions {
  const { keys, countedSubjects, store, timeoutMs, onClear } = parts;

  /** Clears each window with its own call of the store, because they may lie in different slots of a cluster. */
  async function clearWindows(windows: readonly string[]): Promise<void> {
    const id = createRandomId();
    const clearing = windows.map((level) =>
      store.clearWindow({ level, generation: generationKeyOf(level) }, id),
    );
    await withinStoreTimeout(Promise.all(clearing), timeoutMs);
  }

  return {
    async clear(readable, window) {
      rejectUnknownOptions('clear', window, { level: true, subject: true });
      const policy = resolveReadablePolicy(readable);
      const { level: name, subject } = window;
      const { index, level } = findLevel(policy, { ...window, fn: 'clear' });
      const windows = new Set<string>();
      const pseudonym = typeof subject === 'string' && isPseudonym(subject) ? subject : undefined;
      if (pseudonym !== undefined) windows.add(keys.ofPseudonym(policy, pseudonym).level(index));
      // Another subject in the form of a pseudonym may be either. Deleting a window that does not exist does no harm.
      if (pseudonym === undefined || name !== 'ip') {
        const counted = countedSubjects.ofLevel(policy, level, subject);
        windows.add(keys.of(policy, subjectsAt(index, counted)).level(index));
      }
      await clearWindows([...windows]);
      onClear();
    },
    async reset(readable) {
      const policy = resolveReadablePolicy(readable);
      const { levels, settle } = policy;
      const global = levels.flatMap(({ level }, index) =>
        level === 'global' ? [keys.of(policy, []).level(index)] : [],
      );
      await clearWindows(global);
      const reserves =
        settle !== undefined || levels.some(({ shared, lease }) => shared !== undefined || lease);
      const generationId = reserves ? createRandomId() : '';
      const startsBySlot = new Map<string, string[]>();
      for (const start of keys.listStarts(policy))
        getOrCreate(startsBySlot, store.slotOf?.(start) ?? '', () => []).push(start);
      for (const starts of startsBySlot.values()) {
        let cursor = '0';
        do {
          cursor = await withinStoreTimeout(store.resetWindows(starts, { cursor, generationId }), timeoutMs);
        } while (cursor !== '0');
      }
      onClear();
    },
    async releaseRequestId(policy, requestId) {
      const key = keys.of(policy, []).request(toRequestId(requestId));
      await withinStoreTimeout(store.deleteKey(key), timeoutMs);
    },
  };
}

/** Returns a level of a policy and its index. Throws a `LimiterOptionError` for an unknown level or a missing subject. */
export function findLevel(
  policy: ResolvedPolicy,
  { level: name, subject, fn }: WindowOf<ReadablePolicy> & { fn: string },
) {
  const index = policy.levels.findIndex(({ level }) => level === name);
  const level = policy.levels[index];
  if (!level) throw unknownLevel(policy, { level: name, fn });
  if (isMissing(subject) && name !== 'global' && typeof level.ifMissing === 'string')
    throw new LimiterOptionError('subject', subject, `Name the subject of "${name}".`, fn);
  return { index, level };
}

/** Returns the error of a function that received a level which its policy does not have. */
export function unknownLevel(
  { name, levels }: ResolvedPolicy,
  { level, fn }: { level: unknown; fn: string },
): LimiterOptionError {
  const known = levels.map((declared) => declared.level).join(', ');
  return new LimiterOptionError('level', level, `Use a level of policy "${name}": ${known}.`, fn);
}

/** Returns the subjects of a call that counts at one level only. */
export function subjectsAt(index: number, counted: LevelSubject): LevelSubject[] {
  return [...Array<LevelSubject>(index).fill(''), counted];
}
