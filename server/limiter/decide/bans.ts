import { isWhole, LimiterOptionError, rejectUnknownOptions } from '../options';
import type { CountedSubjects } from '../policy/counted-subjects';
import { type ReadablePolicy, resolveReadablePolicy } from '../policy/named-policy';
import type { ResolvedPolicy } from '../policy/policy';
import { YEAR_MS } from '../policy/validate-policy';
import type { Store, StoreBan } from '../stores/store';
import { withinStoreTimeout } from '../stores/store-timeout';
import { findLevel, subjectsAt, type WindowOf } from './deletions';
import { bansKeysOf, type Keys, violationsKeyOfBan } from './key';

/** An active ban. */
export interface Ban {
  /** Identifies the ban in `lift`. Opaque to clients. */
  banId: string;
  policy: string;
  level: string;
  /** The pseudonym of the subject, which `Limiter.peekByPseudonym` takes. */
  ref: string;
  /** Masked by `maskSubject`. */
  subject: string;
  /** Epoch ms by the store's clock. */
  bannedUntil: number;
  violations: number;
}

/** The bans of a store. Every method throws `StoreUnavailableError`. */
export interface Bans {
  /** Lists the active bans of a policy, the first to end first. */
  list(policy: ReadablePolicy): Promise<Ban[]>;
  /** Counts the active bans of a policy. */
  count(policy: ReadablePolicy): Promise<number>;
  /**
   * Bans a subject at a level that punishes, for `ms`: whole milliseconds from 1 to a year. Nodes that have cached an earlier ban
   * follow within a second. A ban of the subject that has not ended gets the new end, also an earlier one. `subject` is as in a
   * call. Violations stay; the end of the ban clears them.
   */
  add<const P extends ReadablePolicy>(policy: P, ban: WindowOf<P> & { ms: number }): Promise<Ban>;
  /**
   * Ends a ban and deletes its violations, on all nodes within a second. Returns false if this policy has no such ban.
   * `banId` may be any text.
   */
  lift(policy: ReadablePolicy, banId: string): Promise<boolean>;
}

export interface BansOptions {
  keys: Keys;
  countedSubjects: CountedSubjects;
  store: Store;
  /** The prefix of every key. */
  prefix: string;
  timeoutMs: number;
  clock: (() => number) | undefined;
}

/** Adds, lists, counts and lifts bans. Default of `clock`: the clock of the store. */
export function createBans(options: BansOptions): Bans {
  const { keys: allKeys, countedSubjects, store, prefix, timeoutMs, clock } = options;

  /** Returns the keys of the bans of a policy; none if it does not punish. */
  function listBansKeys(policy: ResolvedPolicy): string[] {
    return policy.levels.some(({ punishment }) => punishment) ? bansKeysOf(policy, prefix) : [];
  }

  const run = <Reply>(reply: Promise<Reply>) => withinStoreTimeout(reply, timeoutMs);

  async function listShard(policy: string, bansKey: string, shard: number): Promise<Ban[]> {
    const bans = await run(store.listBans(bansKey, clock?.()));
    return bans.map((ban) => toBan(policy, shard, ban));
  }

  return {
    async list(readable) {
      const policy = resolveReadablePolicy(readable);
      const shards = listBansKeys(policy).map((key, shard) => listShard(policy.name, key, shard));
      return (await Promise.all(shards)).flat().sort((one, other) => one.bannedUntil - other.bannedUntil);
    },

    async count(policy) {
      const keys = listBansKeys(resolveReadablePolicy(policy));
      const counts = await Promise.all(keys.map((key) => run(store.countBans(key, clock?.()))));
      return counts.reduce((sum, count) => sum + count, 0);
    },

    async add(readable, ban) {
      rejectUnknownOptions('bans.add', ban, { level: true, subject: true, ms: true });
      const policy = resolveReadablePolicy(readable);
      const { level: name, subject, ms } = ban;
      const { index, level } = findLevel(policy, { ...ban, fn: 'bans.add' });
      if (!level.punishment) throw new LimiterOptionError('level', name, NOT_PUNISHING, 'bans.add');
      if (!isWhole(ms, 1, YEAR_MS)) {
        const fix = 'Use whole milliseconds from 1 to a year, as in 1_800_000.';
        throw new LimiterOptionError('ms', ms, fix, 'bans.add');
      }
      const keys = allKeys.of(policy, subjectsAt(index, countedSubjects.ofLevel(policy, level, subject)));
      const added = { member: keys.banMember(index), banMs: ms, lapseMs: level.punishment.lapseMs };
      const bans = keys.bans();
      const stored = store.addBan({ bans, violations: keys.violations(index) }, added, clock?.());
      return toBan(policy.name, bansKeysOf(policy, prefix).indexOf(bans), await run(stored));
    },

    async lift(readable, banId) {
      const policy = resolveReadablePolicy(readable);
      const named = decodeBanId(banId);
      if (named?.policy !== policy.name) return false;
      const { shard, member, bannedUntil } = named;
      const bans = bansKeysOf(policy, prefix)[shard];
      if (bans === undefined) return false;
      const keys = { bans, violations: violationsKeyOfBan(bans, member) };
      return run(store.liftBan(keys, { member, bannedUntil }));
    },
  };
}

const NOT_PUNISHING =
  'This level does not punish, so its calls read no bans. Give it a punishment, or deny the subject: setOverrides([], [{ policy, level, ref: limiter.pseudonymOf(subject), rule: { kind: "deny", until } }]).';

/** A member of the zset of bans: `level:pseudonym:masked subject#violations`. */
const BAN_MEMBER = /^([^:]+):([^:]+):(.*)#(\d+)$/s;

function toBan(policy: string, shard: number, { member, bannedUntil }: StoreBan): Ban {
  const found = BAN_MEMBER.exec(member);
  if (!found) throw new TypeError(`the store replied a ban ${JSON.stringify(member)}`);
  const [, level = '', ref = '', subject = '', violations] = found;
  // Two policies may have banned the same subject, and a subject may be banned again: the id has the policy and the end.
  const banId = JSON.stringify([policy, shard, member, bannedUntil]);
  return { banId, policy, level, ref, subject, bannedUntil, violations: Number(violations) };
}

function decodeBanId(banId: string) {
  const [policy, shard, member, bannedUntil] = readList(banId);
  if (typeof policy !== 'string' || typeof member !== 'string') return undefined;
  if (typeof shard !== 'number' || typeof bannedUntil !== 'number') return undefined;
  // The store takes the end 0 for that of no ban.
  if (bannedUntil <= 0) return undefined;
  return { policy, shard, member, bannedUntil };
}

function readList(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
