import type { RedisClient } from '../redis/client';
import { saleKeys } from '../redis/keys';
import { type OutboxEntry, parseEntries } from './outbox-entry';

/** One coupon's outbox, as one consumer of its group reads it. */
export interface Outbox {
  /** Entries that nobody has read yet; none where the gate has not been opened. */
  readNew(couponId: string): Promise<Delivery>;
  /** Entries that this consumer has read and not acknowledged: what a failed write left. */
  readOwn(couponId: string): Promise<Delivery>;
  /** Entries of consumers that have not acknowledged them for `idleMs`; they are this one's from now on. */
  reclaim(couponId: string, idleMs: number): Promise<Delivery>;
  /** Forgets entries that the ledger has settled, and their reservations. */
  acknowledge(couponId: string, entries: readonly OutboxEntry[]): Promise<void>;
  /** Puts aside an entry that is no order, for a person to look at. */
  bury(couponId: string, entryIds: readonly string[]): Promise<void>;
  /** The instant of the oldest entry that is not settled, in epoch ms of Redis's clock. */
  oldest(couponId: string): Promise<number | undefined>;
}

export interface Delivery {
  entries: OutboxEntry[];
  malformed: string[];
}

type RawEntry = [entryId: string, fields: string[] | null];

const NOTHING: Delivery = { entries: [], malformed: [] };
/** Entries to a batch: large enough for one transaction to pay, small enough to be told of soon. */
const BATCH = 500;

export function createOutbox({
  redis,
  group,
  consumer,
}: {
  redis: RedisClient;
  group: string;
  /** The same for a node across its restarts, so that it finds what it left. */
  consumer: string;
}): Outbox {
  async function read(couponId: string, from: '>' | '0'): Promise<Delivery> {
    const { outbox } = saleKeys(couponId);
    return noneWithoutGroup(async () => {
      const streams = (await redis.xreadgroup(
        'GROUP',
        group,
        consumer,
        'COUNT',
        BATCH,
        'STREAMS',
        outbox,
        from,
      )) as [name: string, entries: RawEntry[]][] | null;
      return deliver(streams?.[0]?.[1] ?? []);
    });
  }

  return {
    readNew: (couponId) => read(couponId, '>'),
    readOwn: (couponId) => read(couponId, '0'),

    reclaim(couponId, idleMs) {
      const { outbox } = saleKeys(couponId);
      return noneWithoutGroup(async () => {
        const claimed = (await redis.xautoclaim(outbox, group, consumer, idleMs, '0', 'COUNT', BATCH)) as [
          next: string,
          entries: RawEntry[],
        ];
        return deliver(claimed[1]);
      });
    },

    async acknowledge(couponId, entries) {
      if (entries.length === 0) return;
      const keys = saleKeys(couponId);
      const ids = entries.map(({ entryId }) => entryId);
      await Promise.all([
        redis.xack(keys.outbox, group, ...ids),
        redis.xdel(keys.outbox, ...ids),
        ...entries.map(({ userId, orderId }) => redis.hdel(keys.reservations(userId), orderId)),
      ]);
    },

    async bury(couponId, entryIds) {
      const keys = saleKeys(couponId);
      for (const entryId of entryIds) {
        const [entry] = await redis.xrange(keys.outbox, entryId, entryId);
        if (entry) await redis.xadd(keys.dead, '*', ...entry[1]);
      }
      await redis.xack(keys.outbox, group, ...entryIds);
      await redis.xdel(keys.outbox, ...entryIds);
    },

    async oldest(couponId) {
      const [entry] = await redis.xrange(saleKeys(couponId).outbox, '-', '+', 'COUNT', 1);
      return entry ? Number(entry[0].split('-')[0]) : undefined;
    },
  };
}

/** A stream that was deleted while it had unacknowledged entries delivers them without fields. */
function deliver(raw: RawEntry[]): Delivery {
  const whole = raw.filter((entry): entry is [string, string[]] => entry[1] !== null);
  return whole.length === 0 ? NOTHING : parseEntries(whole);
}

/** The group comes into being with the gate; before that there is nothing to read. */
async function noneWithoutGroup(read: () => Promise<Delivery>): Promise<Delivery> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('NOGROUP')) return NOTHING;
    throw error;
  }
}
