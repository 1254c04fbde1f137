import { type ReadablePolicy, resolveReadablePolicy } from '../policy/named-policy';
import type { ResolvedPolicy } from '../policy/policy';
import type { Store, StoreScript } from '../stores/store';
import { withinStoreTimeout } from '../stores/store-error';
import { bansKeysOf, violationsKeyOfBan } from './key';

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
   * Ends a ban and deletes its violations, on all nodes within a second. Returns false if this policy has no such ban.
   * `banId` may be any text.
   */
  lift(policy: ReadablePolicy, banId: string): Promise<boolean>;
}

export interface BansOptions {
  store: Store;
  /** The prefix of every key. */
  prefix: string;
  timeoutMs: number;
  clock: (() => number) | undefined;
}

const scripts = {
  list: { command: 'floodgateListBans', file: 'limiter/list-bans.lua', numberOfKeys: 1 },
  count: { command: 'floodgateCountBans', file: 'limiter/count-bans.lua', numberOfKeys: 1 },
  lift: { command: 'floodgateLiftBan', file: 'limiter/lift-ban.lua', numberOfKeys: 2 },
} satisfies Record<keyof Bans, StoreScript>;

/** Lists, counts and lifts bans with Lua scripts. Default of `clock`: Redis's clock. */
export function createBans({ store, prefix, timeoutMs, clock }: BansOptions): Bans {
  /** Returns the keys of the bans of a policy; none if it does not punish. */
  function listBansKeys(policy: ResolvedPolicy): string[] {
    return policy.levels.some(({ punishment }) => punishment) ? bansKeysOf(policy, prefix) : [];
  }

  const run = (script: StoreScript, keys: string[], args: (string | number)[] = [clock?.() ?? '']) =>
    withinStoreTimeout(store.run(script, keys, args), timeoutMs);

  async function countShard(bansKey: string): Promise<number> {
    const reply = await run(scripts.count, [bansKey]);
    if (typeof reply !== 'number') throw new TypeError(`count-bans.lua replied ${JSON.stringify(reply)}`);
    return reply;
  }

  async function listShard(policy: string, bansKey: string, shard: number): Promise<Ban[]> {
    const reply = await run(scripts.list, [bansKey]);
    if (!Array.isArray(reply)) throw new TypeError(`list-bans.lua replied ${JSON.stringify(reply)}`);
    return reply.map((entry: unknown) => decodeBan(policy, shard, entry));
  }

  return {
    async list(readable) {
      const policy = resolveReadablePolicy(readable);
      const shards = listBansKeys(policy).map((key, shard) => listShard(policy.name, key, shard));
      return (await Promise.all(shards)).flat().sort((one, other) => one.bannedUntil - other.bannedUntil);
    },

    async count(policy) {
      const counts = await Promise.all(listBansKeys(resolveReadablePolicy(policy)).map(countShard));
      return counts.reduce((sum, count) => sum + count, 0);
    },

    async lift(readable, banId) {
      const policy = resolveReadablePolicy(readable);
      const named = decodeBanId(banId);
      if (named?.policy !== policy.name) return false;
      const { shard, member, bannedUntil } = named;
      const bansKey = bansKeysOf(policy, prefix)[shard];
      if (bansKey === undefined) return false;
      const keys = [violationsKeyOfBan(bansKey, member), bansKey];
      return (await run(scripts.lift, keys, [member, bannedUntil])) === 1;
    },
  };
}

/** A member of the zset of bans: `level:pseudonym:masked subject#violations`. */
const BAN_MEMBER = /^([^:]+):([^:]+):(.*)#(\d+)$/s;

function decodeBan(policy: string, shard: number, entry: unknown): Ban {
  const [member, bannedUntil]: unknown[] = Array.isArray(entry) ? entry : [];
  const found = typeof member === 'string' ? BAN_MEMBER.exec(member) : null;
  if (typeof member !== 'string' || !found || typeof bannedUntil !== 'number') {
    throw new TypeError(`list-bans.lua replied a ban ${JSON.stringify(entry)}`);
  }
  const [, level = '', ref = '', subject = '', violations] = found;
  // Two policies may have banned the same subject, and a subject may be banned again: the id has the policy and the end.
  const banId = JSON.stringify([policy, shard, member, bannedUntil]);
  return { banId, policy, level, ref, subject, bannedUntil, violations: Number(violations) };
}

function decodeBanId(banId: string) {
  const [policy, shard, member, bannedUntil] = readList(banId);
  if (typeof policy !== 'string' || typeof member !== 'string') return undefined;
  if (typeof shard !== 'number' || typeof bannedUntil !== 'number') return undefined;
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
