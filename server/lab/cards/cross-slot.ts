import { hashTagOf, StoreUnavailableError } from '../../limiter';
import type { Card } from './card';

const counters = `
local user_calls = tonumber(redis.call('GET', KEYS[1]) or 0)
local all_calls = tonumber(redis.call('GET', KEYS[2]) or 0)
if user_calls >= tonumber(ARGV[1]) or all_calls >= tonumber(ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], user_calls + 1, 'PX', ARGV[3])
redis.call('SET', KEYS[2], all_calls + 1, 'PX', ARGV[3])
return 1`;

const limit = 5;
const windowMs = 10_000;

/** Charges two counters whose keys share no hash tag, in one script. The load is two users who call alternately. */
export const crossSlot: Card = {
  group: 'keys',
  limit,
  windowMs,
  calls: Array.from({ length: 8 }, (_, index) => ({ at: index * 100, caller: `user-${(index % 2) + 1}` })),
  async naive({ caller }, { scatteredKey, script }) {
    const keys = [scatteredKey(caller ?? ''), scatteredKey('everyone')];
    const [allowed] = await script(counters, keys, [3, limit, windowMs]).catch(expectCrossSlot);
    return allowed === 1;
  },
  levels: [
    { level: 'user', limit: 3, windowMs },
    { level: 'global', limit, windowMs },
  ],
  subjects: ({ caller }) => ({ user: caller }),
  figure: ({ keyNames }) => {
    const slots = new Set(keyNames.map(keySlot)).size;
    return { value: slots, of: 1, isOk: slots === 1 };
  },
  text: {
    en: {
      title: 'Keys in different cluster slots',
      naive: 'Two keys without a hash tag',
      why: 'A script that charges a user limit and a global limit needs two keys, which can be in different slots of a cluster. Redis then refuses the script with CROSSSLOT, but only after the move to a cluster. Floodgate gives all keys of a decision the same hash tag, so they share a slot.',
      verdicts: { wrong: 'refused by a cluster', right: 'runs on a cluster' },
      measured: ({ naive }) =>
        `The figure is the number of slots. Measured: the script admitted ${naive.admitted} of 8 calls${naive.admitted ? ', because this Redis is no cluster' : ': this Redis is a cluster'}.`,
    },
    zh: {
      title: '键分布在不同的集群槽',
      naive: '两个没有哈希标签的键',
      why: '同时扣减用户上限和全局上限的脚本需要两个键，它们在集群中可能位于不同的槽。Redis 会以 CROSSSLOT 拒绝该脚本，而且迁移到集群之后才会暴露。Floodgate 为同一次判定的所有键加上相同的哈希标签，使它们位于同一个槽。',
      verdicts: { wrong: '集群会拒绝执行', right: '可在集群上运行' },
      measured: ({ naive }) =>
        `数字为槽的个数。实测：8 次请求放行 ${naive.admitted} 次，${naive.admitted ? '因为当前 Redis 不是集群' : '当前 Redis 是集群'}。`,
    },
  },
};

/** Refuses a call whose script Redis Cluster refuses. Rethrows every other error. */
function expectCrossSlot(error: unknown): number[] {
  const cause = error instanceof StoreUnavailableError ? error.cause : undefined;
  if (cause instanceof Error && cause.message.startsWith('CROSSSLOT')) return [0];
  throw error;
}

const SLOT_COUNT = 16_384;

/**
 * Returns the hash slot of a key in Redis Cluster: CRC-16/XMODEM of its hash tag, or of the whole key, modulo 16384 (Redis
 * Cluster specification, "Key distribution model"). Example: `foo` and `a{foo}b` are in slot 12182.
 */
export function keySlot(key: string): number {
  return crc16(Buffer.from(hashTagOf(key))) % SLOT_COUNT;
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}
