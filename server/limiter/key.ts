import { masked } from './mask';
import type { ResolvedPolicy } from './policy';
import type { Pseudonyms } from './pseudonym';

export interface KeyOptions {
  /** Begins every key. */
  prefix: string;
  pseudonymOf: Pseudonyms;
}

/** The store's keys of one call. Two different subjects never share one. */
export interface CallKeys {
  /** What stands for each level's subject in these keys: its pseudonym, or `EVERYBODY`. */
  names: readonly string[];
  /** The state of a level for its subject. */
  level(place: number): string;
  /** The violations of a level's subject. */
  violations(place: number): string;
  /** How a ban of a level's subject is listed. */
  banMember(place: number): string;
  /** The policy's bans, as far as they share this call's slot. */
  bans: string;
  /** Remembers a charged request id. */
  request(identity: string): string;
}

/** Stands for the subject of a level that counts everybody together. */
export const EVERYBODY = 'all';

/** Into how many parts a policy of one level is spread over the slots of a cluster. */
const SHARDS = 16;

/**
 * Keys of one call, by its subjects in the order of the levels. All of them carry one hash tag, since one script
 * decides over them: the policy's name, and where the policy has a single level, one of sixteen parts, by the subject.
 *
 * A subject may be an address or an e-mail, so keys hold its HMAC-SHA256 (128 bits of it), never the subject.
 */
export function keysOf<Context>(
  policy: ResolvedPolicy<Context>,
  subjects: readonly (string | undefined)[],
  { prefix, pseudonymOf }: KeyOptions,
): CallKeys {
  const names = policy.levels.map(({ level }, place) =>
    level === 'global' ? EVERYBODY : pseudonymOf(subjects[place] ?? ''),
  );
  const [only] = names;
  const start = prefix + tagOf(policy, names.length === 1 && only !== undefined ? shardOf(only) : undefined);
  const levelKeys = policy.levels.map(({ level, algorithm }, place) => {
    const levelName = algorithm === 'sliding-log' ? level : `${level}.${algorithm}`;
    return `${start}:${levelName}:${names[place]}`;
  });
  return {
    names,
    level: (place) => levelKeys[place] ?? '',
    violations: (place) => `${start}:violations:${policy.levels[place]?.level}:${names[place]}`,
    banMember: (place) => `${policy.levels[place]?.level}:${names[place]}:${masked(subjects[place] ?? '')}`,
    bans: `${start}:bans`,
    request: (identity) => `${start}:request:id:${pseudonymOf(identity)}`,
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
