import { lru } from 'tiny-lru';
import { getOrCreate } from '../get-or-create';
import type { RequestId, ResolvedLevel, ResolvedPolicy } from '../policy/policy';
import { GLOBAL_SUBJECT, maskSubject, pseudonymOf } from '../policy/pseudonym';
import { warnOfSeconds } from '../policy/seconds';
import { createSharedLevelCheck, ownerOf } from '../policy/shared-levels';
import type { LevelSubject } from '../policy/subject';
import type { QueueKey, StoreKeys } from '../stores/store';
import { fingerprintOf } from './request-id';

export interface Keys {
  /** Returns the keys of one call, from its subjects in the order of the levels. */
  of(policy: ResolvedPolicy, subjects: readonly LevelSubject[]): CallKeys;
  /** Returns the keys of a subject by its pseudonym, for every level. */
  ofPseudonym(policy: ResolvedPolicy, pseudonym: string): CallKeys;
  /** Returns the start of the keys of states, up to the pseudonym: one for each level and shard, without the level `global`. */
  listStarts(policy: ResolvedPolicy): string[];
}

/** The keys of one call in the store, by the index of the level. Two different subjects never share a key. */
export interface CallKeys extends StoreKeys {
  /** Returns the pseudonym of a level's subject, or `GLOBAL_SUBJECT`. */
  pseudonym(index: number): string;
  /** Returns the key of a charged request id. */
  request(requestId: RequestId): string;
  /** Returns the key of a reservation. */
  reservation(id: string): string;
  /** Returns the fingerprint of the input of a request id. */
  requestInput(requestId: RequestId): number;
}

/** The keys of a policy with one level are in 16 shards, on different slots of a cluster. */
const SHARDS = 16;

/** 96 bits: two ids of a day never collide, and the key of a purchase takes 16 bytes less than with 128. */
const REQUEST_ID_CHARACTERS = 16;

/**
 * Creates the keys of calls. All keys of one call have one hash tag, because one script call uses them all: `@` and the
 * name of the policy's shared level; else the name of the policy and, if it has a single level, the shard of the subject.
 *
 * A subject may be an IP or e-mail address, so keys contain 132 bits of its HMAC-SHA256 by `secret`, never the subject.
 */
export function createKeys({
  prefix,
  secret,
  onWarning,
  hasClock = false,
}: {
  prefix: string;
  secret: string;
  /** Receives declarations of one shared level that differ; without it, they are errors. */
  onWarning?: (message: string) => void;
  /** True on a clock of tests and simulations, whose windows may be short. */
  hasClock?: boolean;
}): Keys {
  const known = new WeakMap<object, LevelKeyOf[]>();
  const checkSharedLevels = createSharedLevelCheck(onWarning && { onWarning });

  const levelKeysOf = (policy: ResolvedPolicy) =>
    getOrCreate(known, policy, () => {
      checkSharedLevels(policy);
      if (!hasClock) warnOfSeconds(policy, onWarning);
      return policy.levels.map((level) => createLevelKeyOf(level, { secret, keyOf: keyOf(policy, level) }));
    });

  /** Returns the function that returns the key of a level's state for a pseudonym. */
  function keyOf(policy: ResolvedPolicy, level: ResolvedLevel) {
    const isSplit = level.lease !== undefined || isSharded(policy);
    return (pseudonym: string) =>
      startOfState(policy, level, isSplit ? shardOf(pseudonym) : undefined) + pseudonym;
  }

  /** Returns the start of the keys of a level's states. */
  function startOfState(policy: ResolvedPolicy, level: ResolvedLevel, shard: number | undefined): string {
    const levelName = level.algorithm === 'sliding-log' ? level.level : `${level.level}.${level.algorithm}`;
    return `${prefix}${scopeOfLevel(policy, level, shard)}:${levelName}:`;
  }

  function startOf(policy: ResolvedPolicy, pseudonym: string): string {
    return prefix + scopeOf(policy, isSharded(policy) ? shardOf(pseudonym) : undefined);
  }

  /** The keys of one call. A class, so that a call creates no functions: it needs one or two of the ten keys. */
  class KeysOfCall implements CallKeys {
    constructor(
      readonly policy: ResolvedPolicy,
      readonly levels: readonly LevelKey[],
      readonly subjects: readonly LevelSubject[],
    ) {}

    start(): string {
      return startOf(this.policy, this.pseudonym(0));
    }
    named(index: number): string {
      return `${this.policy.levels[index]?.level}:${this.levels[index]?.pseudonym}`;
    }
    pseudonym(index: number): string {
      return this.levels[index]?.pseudonym ?? '';
    }
    level(index: number): string {
      return this.levels[index]?.key ?? '';
    }
    generation(index: number): string {
      return generationKeyOf(this.level(index));
    }
    violations(index: number): string {
      return `${this.start()}:violations:${this.named(index)}`;
    }
    banMember(index: number): string {
      return `${this.named(index)}:${maskSubject(this.subjects[index] ?? '')}`;
    }
    bans(): string {
      return `${this.start()}:bans`;
    }
    queue(part: QueueKey): string {
      return `${this.start()}:${part}`;
    }
    request({ id }: RequestId): string {
      return `${this.start()}#${pseudonymOf(id, secret).slice(0, REQUEST_ID_CHARACTERS)}`;
    }
    reservation(id: string): string {
      return `${this.start()}:reservation:${id}`;
    }
    requestInput(requestId: RequestId): number {
      return fingerprintOf(requestId, secret);
    }
  }

  return {
    of(policy, subjects) {
      const levels = levelKeysOf(policy).map((levelKeyOf, index) => levelKeyOf(subjects[index] ?? ''));
      return new KeysOfCall(policy, levels, subjects);
    },

    ofPseudonym(policy, subject) {
      const levels = policy.levels.map((level) => {
        const pseudonym = level.level === 'global' ? GLOBAL_SUBJECT : subject;
        return { pseudonym, key: keyOf(policy, level)(pseudonym) };
      });
      return new KeysOfCall(policy, levels, Array(levels.length).fill(subject));
    },

    listStarts: (policy) =>
      policy.levels
        .filter(({ level }) => level !== 'global')
        .flatMap((level) =>
          listShards(level.lease !== undefined || isSharded(policy)).map((shard) =>
            startOfState(policy, level, shard),
          ),
        ),
  };
}

/** Returns the key of the generation of the state with a key. */
export function generationKeyOf(levelKey: string): string {
  return `${levelKey}:generation`;
}

/** Returns the keys of all bans of a policy, one per shard. */
export function bansKeysOf(policy: ResolvedPolicy, prefix: string): string[] {
  return listShards(isSharded(policy)).map((shard) => `${prefix}${scopeOf(policy, shard)}:bans`);
}

/** Returns the shards of keys; `undefined` stands for that of keys without shards. */
function listShards(isSplit: boolean): (number | undefined)[] {
  return isSplit ? [...Array(SHARDS).keys()] : [undefined];
}

/** Returns the key of the violations behind the ban `member`. */
export function violationsKeyOfBan(bansKey: string, member: string): string {
  const [level, pseudonym] = member.split(':');
  return `${bansKey.slice(0, -':bans'.length)}:violations:${level}:${pseudonym}`;
}

/** Returns true if one script call charges a single level, which belongs to its policy alone. */
function isSharded({ levels }: ResolvedPolicy): boolean {
  const [only, other] = levels.filter(({ lease }) => !lease);
  return !other && only?.shared === undefined;
}

function shardOf(pseudonym: string): number {
  return pseudonym.charCodeAt(0) % SHARDS;
}

/** Returns the hash tag of a level's keys. A leased level is charged by itself, so it has slots of its own. */
function scopeOfLevel(policy: ResolvedPolicy, level: ResolvedLevel, shard: number | undefined): string {
  if (level.shared !== undefined) return `{${ownerOf(policy, level)}}`;
  return level.lease ? `{${policy.name}:${level.level}:${shard?.toString(16)}}` : scopeOf(policy, shard);
}

/** Returns the hash tag of a policy's own keys, and its name if the tag does not contain it. */
function scopeOf(policy: ResolvedPolicy, shard: number | undefined): string {
  const { name, levels } = policy;
  if (shard !== undefined) return `{${name}:${shard.toString(16)}}`;
  const shared = levels.find((level) => level.shared !== undefined);
  return shared ? `{${ownerOf(policy, shared)}}:${name}` : `{${name}}`;
}

/** A subject of one level in the keys of the store. */
export interface LevelKey {
  /** The pseudonym of the subject, or `GLOBAL_SUBJECT`. */
  pseudonym: string;
  /** The key of the level's state for the subject. */
  key: string;
}

/** A cache, because the same callers call again during a flood, and a pseudonym is an HMAC. */
const MAX_CACHED_KEYS = 10_000;
/** Longer subjects are not cached, so that the cache takes at most 5 MB per level. */
const MAX_CACHED_LENGTH = 100;

/** Returns the pseudonym and the key of a subject at one level. */
export type LevelKeyOf = (subject: string) => LevelKey;

/** Creates the key function of a level, with an LRU cache. `keyOf` returns the key of a pseudonym. */
export function createLevelKeyOf(
  { level }: ResolvedLevel,
  { secret, keyOf }: { secret: string; keyOf: (pseudonym: string) => string },
): LevelKeyOf {
  if (level === 'global') {
    const global = { pseudonym: GLOBAL_SUBJECT, key: keyOf(GLOBAL_SUBJECT) };
    return () => global;
  }
  const cache = lru<LevelKey>(MAX_CACHED_KEYS);

  return function levelKeyOf(subject) {
    const cached = cache.get(subject);
    if (cached) return cached;
    const pseudonym = pseudonymOf(subject, secret);
    const levelKey = { pseudonym, key: keyOf(pseudonym) };
    if (subject.length <= MAX_CACHED_LENGTH) cache.set(subject, levelKey);
    return levelKey;
  };
}
