import { defineScript, type ScriptHost } from '../lua-scripts';
import { bansKeysOf, violationsKeyOfBan } from './key';
import type { ResolvedPolicy } from './policy';
import { withinStoreTimeout } from './store-timeout';

/** One ban that stands. */
export interface Ban {
  /** Names the ban in `lift`; says nothing to anybody else. */
  banId: string;
  policy: string;
  level: string;
  /** The subject's name in keys, which `Limiter.peekNamed` takes. */
  ref: string;
  /** Masked: enough to know somebody again, too little to find them. */
  subject: string;
  /** Epoch ms by the store's clock. */
  bannedUntil: number;
  violations: number;
}

/** The bans of a store. Every method throws `StoreUnavailableError` where it does not answer. */
export interface Bans {
  /** The bans of a policy that stand, the newest end last. */
  list<Context>(policy: ResolvedPolicy<Context>): Promise<Ban[]>;
  /** How many bans of a policy stand. */
  count<Context>(policy: ResolvedPolicy<Context>): Promise<number>;
  /**
   * Ends a ban and forgets its violations, everywhere within a second. False where this policy has none by this id,
   * which any text may be.
   */
  lift<Context>(policy: ResolvedPolicy<Context>, banId: string): Promise<boolean>;
}

export interface BansOptions {
  redis: ScriptHost;
  /** Begins every key. */
  prefix: string;
  timeoutMs: number;
  clock: (() => number) | undefined;
}

export function createBans({ redis, prefix, timeoutMs, clock }: BansOptions): Bans {
  const runList = defineScript(redis, {
    command: 'floodgateListBans',
    file: 'limiter/list-bans.lua',
    numberOfKeys: 1,
  });
  const runCount = defineScript(redis, {
    command: 'floodgateCountBans',
    file: 'limiter/count-bans.lua',
    numberOfKeys: 1,
  });
  const runLift = defineScript(redis, {
    command: 'floodgateLiftBan',
    file: 'limiter/lift-ban.lua',
    numberOfKeys: 2,
  });

  /** Where the bans of a policy may be: nowhere, if it has none to give. */
  function listBansKeys<Context>(policy: ResolvedPolicy<Context>): string[] {
    return policy.levels.some(({ punishment }) => punishment) ? bansKeysOf(policy, prefix) : [];
  }

  async function countShard(bansKey: string): Promise<number> {
    const reply = await withinStoreTimeout(runCount([bansKey], [clock?.() ?? '']), timeoutMs);
    if (typeof reply !== 'number') throw new TypeError(`count-bans.lua replied ${JSON.stringify(reply)}`);
    return reply;
  }

  async function listShard(policy: string, bansKey: string, part: number): Promise<Ban[]> {
    const reply = await withinStoreTimeout(runList([bansKey], [clock?.() ?? '']), timeoutMs);
    if (!Array.isArray(reply)) throw new TypeError(`list-bans.lua replied ${JSON.stringify(reply)}`);
    return reply.map((entry: unknown) => decodeBan(policy, part, entry));
  }

  return {
    async list(policy) {
      const parts = listBansKeys(policy).map((key, part) => listShard(policy.name, key, part));
      return (await Promise.all(parts)).flat().sort((one, other) => one.bannedUntil - other.bannedUntil);
    },

    async count(policy) {
      const counts = await Promise.all(listBansKeys(policy).map(countShard));
      return counts.reduce((sum, count) => sum + count, 0);
    },

    async lift(policy, banId) {
      const named = decodeBanId(banId);
      if (named?.policy !== policy.name) return false;
      const { shard: part, member, bannedUntil } = named;
      const bansKey = bansKeysOf(policy, prefix)[part];
      if (bansKey === undefined) return false;
      const reply = runLift([violationsKeyOfBan(bansKey, member), bansKey], [member, bannedUntil]);
      return (await withinStoreTimeout(reply, timeoutMs)) === 1;
    },
  };
}

/** A member of the zset of bans: `level:pseudonym:masked subject#violations`. */
const BAN_MEMBER = /^([^:]+):([^:]+):(.*)#(\d+)$/s;

function decodeBan(policy: string, part: number, entry: unknown): Ban {
  const [member, bannedUntil]: unknown[] = Array.isArray(entry) ? entry : [];
  const found = typeof member === 'string' ? BAN_MEMBER.exec(member) : null;
  if (typeof member !== 'string' || !found || typeof bannedUntil !== 'number') {
    throw new TypeError(`list-bans.lua replied a ban ${JSON.stringify(entry)}`);
  }
  const [, level = '', ref = '', subject = '', violations] = found;
  const banId = encodeBanId({ policy, shard: part, member, bannedUntil });
  return { banId, policy, level, ref, subject, bannedUntil, violations: Number(violations) };
}

/**
 * Where a ban is listed. Its id names the policy too, since two may have banned the same person, and its end, since the
 * same person may be banned again.
 */
interface ListedBan {
  policy: string;
  shard: number;
  member: string;
  bannedUntil: number;
}

function encodeBanId({ policy, shard: part, member, bannedUntil }: ListedBan): string {
  return Buffer.from(JSON.stringify([policy, part, member, bannedUntil])).toString('base64url');
}

function decodeBanId(banId: string): ListedBan | undefined {
  const [policy, part, member, bannedUntil] = readList(Buffer.from(banId, 'base64url').toString());
  if (typeof policy !== 'string' || typeof member !== 'string') return undefined;
  if (typeof part !== 'number' || typeof bannedUntil !== 'number') return undefined;
  return { policy, shard: part, member, bannedUntil };
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
