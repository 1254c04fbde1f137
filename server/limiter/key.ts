import { createLevelKeyOf, GLOBAL_SUBJECT, type LevelKey, type LevelKeyOf } from './level-key';
import { maskSubject } from './mask';
import type { ResolvedLevel, ResolvedPolicy } from './policy';
import { pseudonymOf } from './pseudonym';
import { fingerprintOf, type RequestId } from './request-id';
import type { LevelSubject } from './subject';

export interface KeyOptions {
  /** Begins every key. */
  prefix: string;
  /** Keys the HMACs that stand for subjects. */
  secret: string;
}

export interface Keys {
  /** Keys of one call, by its subjects in the order of the levels. */
  of<Context>(policy: ResolvedPolicy<Context>, subjects: readonly LevelSubject[]): CallKeys;
  /** The same for a subject of which only the name in keys is known, in the place of each level's. */
  ofNamed<Context>(policy: ResolvedPolicy<Context>, name: string): CallKeys;
}

/** The store's keys of one call. Two different subjects never share one. */
export interface CallKeys {
  /** What stands for a level's subject in these keys: its pseudonym, or `EVERYBODY`. */
  name(place: number): string;
  /** The state of a level for its subject. */
  level(place: number): string;
  /** The violations of a level's subject. */
  violations(place: number): string;
  /** How a ban of a level's subject is listed. */
  banMember(place: number): string;
  /** The policy's bans, as far as they share this call's slot. */
  bans(): string;
  /** Stores that a request id was charged. */
  request(requestId: RequestId): string;
  /** Stores that version 0.1.0 charged a request id; the key of `request` where the id has no `formerId`. */
  formerRequest(requestId: RequestId): string;
  /** Stands for the input of a request id. */
  requestInput(requestId: RequestId): number;
}

/** Into how many parts a policy of one level is spread over the slots of a cluster. */
const SHARDS = 16;

/** 96 bits: two ids of a day never meet, and the key of a purchase takes 16 bytes less than with 128. */
const REQUEST_ID_CHARACTERS = 16;

/**
 * All keys of one call carry one hash tag, since one script decides over them: the policy's name, and where the policy
 * has a single level, one of sixteen parts, by the subject.
 *
 * A subject may be an address or an e-mail, so keys hold its HMAC-SHA256 (128 bits of it), never the subject.
 */
export function createKeys({ prefix, secret }: KeyOptions): Keys {
  const known = new WeakMap<object, LevelKeyOf[]>();

  /** What each level of a policy finds its keys by. */
  function levelKeysOf<Context>(policy: ResolvedPolicy<Context>): LevelKeyOf[] {
    const made = known.get(policy);
    if (made) return made;
    const levelKeys = policy.levels.map((level) =>
      createLevelKeyOf(level, { secret, keyOf: (name) => levelKey(policy, { level, name }) }),
    );
    known.set(policy, levelKeys);
    return levelKeys;
  }

  function levelKey<Context>(
    policy: ResolvedPolicy<Context>,
    { level, name }: { level: ResolvedLevel<Context>; name: string },
  ): string {
    const levelName = level.algorithm === 'sliding-log' ? level.level : `${level.level}.${level.algorithm}`;
    return `${startOf(policy, name)}:${levelName}:${name}`;
  }

  function startOf<Context>(policy: ResolvedPolicy<Context>, name: string): string {
    return prefix + tagOf(policy, policy.levels.length === 1 ? shardOf(name) : undefined);
  }

  function callKeys<Context>(
    policy: ResolvedPolicy<Context>,
    { levels, subjects }: { levels: readonly LevelKey[]; subjects: readonly LevelSubject[] },
  ): CallKeys {
    const start = () => startOf(policy, levels[0]?.name ?? '');
    const request = ({ id }: RequestId) =>
      `${start()}#${pseudonymOf(id, secret).slice(0, REQUEST_ID_CHARACTERS)}`;
    const named = (place: number) => `${policy.levels[place]?.level}:${levels[place]?.name}`;
    return {
      name: (place) => levels[place]?.name ?? '',
      level: (place) => levels[place]?.key ?? '',
      violations: (place) => `${start()}:violations:${named(place)}`,
      banMember: (place) => `${named(place)}:${maskSubject(subjects[place] ?? '')}`,
      bans: () => `${start()}:bans`,
      request,
      formerRequest: (requestId) =>
        requestId.formerId === undefined
          ? request(requestId)
          : `${start()}:request:id:${pseudonymOf(requestId.formerId, secret)}`,
      requestInput: (requestId) => fingerprintOf(requestId, secret),
    };
  }

  return {
    of(policy, subjects) {
      const levels = levelKeysOf(policy).map((levelKeyOf, place) => levelKeyOf(subjects[place] ?? ''));
      return callKeys(policy, { levels, subjects });
    },

    ofNamed(policy, subjectName) {
      const levels = policy.levels.map((level) => {
        const name = level.level === 'global' ? GLOBAL_SUBJECT : subjectName;
        return { name, key: levelKey(policy, { level, name }) };
      });
      return callKeys(policy, { levels, subjects: Array(levels.length).fill(subjectName) });
    },
  };
}

/** The keys that hold the bans of a policy, whoever they are of. */
export function bansKeysOf<Context>(policy: ResolvedPolicy<Context>, prefix: string): string[] {
  const shards = policy.levels.length === 1 ? [...Array(SHARDS).keys()] : [undefined];
  return shards.map((shard) => `${prefix}${tagOf(policy, shard)}:bans`);
}

/** The key of the violations behind a ban that is listed as `member`. */
export function violationsKeyOfBan(bansKey: string, member: string): string {
  const [level, name] = member.split(':');
  return `${bansKey.slice(0, -':bans'.length)}:violations:${level}:${name}`;
}

function tagOf<Context>({ name }: ResolvedPolicy<Context>, shard: number | undefined): string {
  return shard === undefined ? `{${name}}` : `{${name}:${shard.toString(SHARDS)}}`;
}

function shardOf(name: string): number {
  return name.charCodeAt(0) % SHARDS;
}

/** What a cluster places a key by. */
export function hashTagOf(key: string): string {
  const start = key.indexOf('{');
  const end = key.indexOf('}', start);
  return start === -1 || end <= start + 1 ? key : key.slice(start + 1, end);
}
