import type { Algorithm } from '../limiter';
import type { RedisClient } from '../redis/client';
import { answer, type Experiment } from './experiment';
import { allOf } from './in-chunks';
import type { KeyLook, KeyMember } from './key-look';
import { readPacked } from './read-packed';

export interface LookOptions {
  /** The algorithm whose state the key holds, packed. */
  packedBy?: Algorithm | undefined;
  /** Epoch ms of 0 on the lab's clock. */
  origin: number;
}

/** So many members are shown. */
const MOST_MEMBERS = 100;

/** Those keys that there are, as Redis shows them. */
export async function looksAt(
  { clients }: Pick<Experiment, 'clients'>,
  keys: readonly string[],
  options: LookOptions,
): Promise<KeyLook[]> {
  const looks = await allOf(keys.map((key) => lookAtKey(clients[0], key, options)));
  return looks.filter((look) => look !== undefined);
}

/** One key as Redis shows it; `undefined` where there is none. */
async function lookAtKey(
  client: RedisClient,
  key: string,
  { packedBy, origin }: LookOptions,
): Promise<KeyLook | undefined> {
  const type = await answer(client.type(key));
  if (!isShown(type)) return undefined;
  const [ttlMs, bytes, encoding, content] = await answer(
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
    length: content.length,
    members: content.members,
    meaning:
      packedBy && content.bytes ? readPacked(packedBy, content.bytes, { origin, most: MOST_MEMBERS }) : null,
  };
}

interface Content {
  length: number;
  members: KeyMember[];
  bytes?: Buffer;
}

const readers: Record<KeyLook['type'], (client: RedisClient, key: string) => Promise<Content>> = {
  async string(client, key) {
    const bytes = (await client.getBuffer(key)) ?? Buffer.alloc(0);
    return { length: bytes.length, members: [{ member: shown(bytes), value: null }], bytes };
  },
  async list(client, key) {
    const [length, items] = await Promise.all([client.llen(key), client.lrange(key, 0, MOST_MEMBERS - 1)]);
    return { length, members: items.map((member) => ({ member, value: null })) };
  },
  async hash(client, key) {
    const [length, [, scanned]] = await Promise.all([
      client.hlen(key),
      client.hscan(key, 0, 'COUNT', MOST_MEMBERS),
    ]);
    return { length, members: pairs(scanned).slice(0, MOST_MEMBERS) };
  },
  async zset(client, key) {
    const [length, ranged] = await Promise.all([
      client.zcard(key),
      client.zrange(key, 0, String(MOST_MEMBERS - 1), 'WITHSCORES'),
    ]);
    return { length, members: pairs(ranged) };
  },
};

function isShown(type: string): type is KeyLook['type'] {
  return Object.hasOwn(readers, type);
}

function pairs(flat: readonly string[]): KeyMember[] {
  const members: KeyMember[] = [];
  for (let place = 0; place < flat.length; place += 2) {
    members.push({ member: flat[place] ?? '', value: flat[place + 1] ?? null });
  }
  return members;
}

/** Text as it is, anything else in hexadecimal; as much as 100 packed hits take. */
function shown(bytes: Buffer): string {
  const first = bytes.subarray(0, MOST_MEMBERS * 6);
  return first.every((byte) => byte >= 0x20 && byte < 0x7f)
    ? first.toString('latin1')
    : first.toString('hex');
}
