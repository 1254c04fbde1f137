import { awaitReply, type Experiment } from '../experiments/experiment';
import { settleAll } from '../experiments/map-in-chunks';
import type { Algorithm } from '../limiter/index';
import type { RedisClient } from '../redis/client';
import { keySlot } from './key-slot';
import { type PackedMeaning, readPacked } from './read-packed';

/** One key, as Redis describes it. */
export interface KeySnapshot {
  key: string;
  /** Reply of `TYPE`. */
  type: 'string' | 'list' | 'hash' | 'set' | 'zset';
  /** Reply of `OBJECT ENCODING`, such as `listpack`. */
  encoding: string;
  /** Reply of `PTTL`: ms until the key expires, on Redis's clock. */
  ttlMs: number;
  /** Reply of `MEMORY USAGE`: key, value and overhead. */
  bytes: number;
  /** Reply of `CLUSTER KEYSLOT`: the hash slot of the key in a cluster. */
  slot: number;
  /** Number of members, or of bytes in a string. */
  length: number;
  /** The first 100 members. */
  members: KeyMember[];
  /** Decoded state of a string that the product packed. Null for every other key. */
  meaning: PackedMeaning | null;
}

/**
 * A member in the form that `redis-cli` prints. `value` is the score in a zset, the field's value in a hash, else null.
 * A string has one member, in hexadecimal if it is not text.
 */
interface KeyMember {
  member: string;
  value: string | null;
}

export interface SnapshotOptions {
  /** Algorithm of the packed state in the key. */
  packedBy?: Algorithm | undefined;
  /** Epoch ms of 0 on the experiment's clock. */
  origin: number;
}

/** Maximum number of members in a snapshot. */
const MAX_MEMBERS = 100;

/** Reads the snapshots of those keys that exist. */
export async function readKeySnapshots(
  { clients }: Pick<Experiment, 'clients'>,
  keys: readonly string[],
  options: SnapshotOptions,
): Promise<KeySnapshot[]> {
  const snapshots = await settleAll(keys.map((key) => readKeySnapshot(clients[0], key, options)));
  return snapshots.filter((snapshot) => snapshot !== undefined);
}

/** Reads the snapshot of one key. Returns `undefined` if the key does not exist. */
async function readKeySnapshot(
  client: RedisClient,
  key: string,
  { packedBy, origin }: SnapshotOptions,
): Promise<KeySnapshot | undefined> {
  const type = await awaitReply(client.type(key));
  if (!isSupportedType(type)) return undefined;
  const [ttlMs, bytes, encoding, content] = await awaitReply(
    Promise.all([
      client.pttl(key),
      client.memory('USAGE', key, 'SAMPLES', 0),
      client.object('ENCODING', key),
      readers[type](client, key),
    ]),
  );
  return {
    key,
    type,
    encoding: String(encoding),
    ttlMs,
    bytes: Number(bytes),
    slot: keySlot(key),
    length: content.length,
    members: content.members,
    meaning:
      packedBy && content.bytes
        ? readPacked(packedBy, content.bytes, { origin, maxInstants: MAX_MEMBERS })
        : null,
  };
}

interface Content {
  length: number;
  members: KeyMember[];
  bytes?: Buffer;
}

const readers: Record<KeySnapshot['type'], (client: RedisClient, key: string) => Promise<Content>> = {
  async string(client, key) {
    const bytes = (await client.getBuffer(key)) ?? Buffer.alloc(0);
    return { length: bytes.length, members: [{ member: formatBytes(bytes), value: null }], bytes };
  },
  async list(client, key) {
    const [length, items] = await Promise.all([client.llen(key), client.lrange(key, 0, MAX_MEMBERS - 1)]);
    return { length, members: items.map((member) => ({ member, value: null })) };
  },
  async hash(client, key) {
    const [length, [, scanned]] = await Promise.all([
      client.hlen(key),
      client.hscan(key, 0, 'COUNT', MAX_MEMBERS),
    ]);
    return { length, members: pairMembers(scanned).slice(0, MAX_MEMBERS) };
  },
  async set(client, key) {
    const [length, [, scanned]] = await Promise.all([
      client.scard(key),
      client.sscan(key, 0, 'COUNT', MAX_MEMBERS),
    ]);
    return { length, members: scanned.slice(0, MAX_MEMBERS).map((member) => ({ member, value: null })) };
  },
  async zset(client, key) {
    const [length, ranged] = await Promise.all([
      client.zcard(key),
      client.zrange(key, 0, String(MAX_MEMBERS - 1), 'WITHSCORES'),
    ]);
    return { length, members: pairMembers(ranged) };
  },
};

function isSupportedType(type: string): type is KeySnapshot['type'] {
  return Object.hasOwn(readers, type);
}

function pairMembers(flat: readonly string[]): KeyMember[] {
  const members: KeyMember[] = [];
  for (let index = 0; index < flat.length; index += 2) {
    members.push({ member: flat[index] ?? '', value: flat[index + 1] ?? null });
  }
  return members;
}

/** Formats bytes as text, or as hexadecimal if they are not printable. Cuts after the length of 100 packed hits. */
function formatBytes(bytes: Buffer): string {
  const first = bytes.subarray(0, MAX_MEMBERS * 6);
  return first.every((byte) => byte >= 0x20 && byte < 0x7f)
    ? first.toString('latin1')
    : first.toString('hex');
}
