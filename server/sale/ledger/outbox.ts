import { withinStoreTimeout } from '../../limiter';
import { defineScript } from '../../lua-scripts';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import { type MalformedEntry, type OutboxEntry, parseEntries } from './outbox-entry';

/** One coupon's outbox, as one consumer of its group reads it. All of it throws `StoreUnavailableError`. */
export interface Outbox {
  /** Entries that nobody has read yet; none where the gate has not been opened. */
  readNew(couponId: string): Promise<Delivery>;
  /** Entries that this consumer has read and not acknowledged: what a failed write left. */
  readOwn(couponId: string): Promise<Delivery>;
  /** Entries of consumers that have not acknowledged them for `idleMs`; they are this one's from now on. */
  reclaim(couponId: string, idleMs: number): Promise<Delivery>;
  /** Whatever is in it, read before or not, by whomever. */
  readAll(couponId: string): Promise<Delivery>;
  /** Forgets entries that the ledger has settled, and their reservations. */
  ackEntries(couponId: string, entries: readonly OutboxEntry[]): Promise<void>;
  /**
   * Moves an entry that cannot be written to the dead letters, gives its stock back and frees its shopper. False where
   * it is no longer in the outbox.
   */
  deadLetter(couponId: string, entry: RefusedOutboxEntry): Promise<boolean>;
  /** How much is not settled, and since when; undefined where everything is. */
  countUnwritten(couponId: string): Promise<Unwritten | undefined>;
}

/** What a shopper's keys are found by, and why an entry cannot be written. */
export interface RefusedOutboxEntry extends Omit<MalformedEntry, 'requestId'> {
  requestId?: string | null | undefined;
  why: string;
}

export interface Unwritten {
  entries: number;
  /** The instant of the oldest one, in epoch ms of Redis's clock. */
  since: number;
}

export interface Delivery {
  entries: OutboxEntry[];
  malformed: MalformedEntry[];
}

type RawEntry = [entryId: string, fields: string[] | null];

export const EMPTY_DELIVERY: Delivery = { entries: [], malformed: [] };
/** Entries to a batch: large enough for one transaction to pay, small enough to be told of soon. */
const BATCH = 1_000;
/** Entries to one script: Redis decides nothing meanwhile, for less than half a millisecond. */
const FORGOTTEN_AT_ONCE = 100;
/** Dead letters wait for a person, who may be away over a weekend; and cannot fill Redis. */
const DEAD_KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const MOST_DEAD_KEPT = 1_000;
/** A Redis that takes longer is frozen, and its connection is given up then. */
const WAIT_MS = 5_000;

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
  const runForget = defineScript(redis, {
    command: 'saleForget',
    file: 'sale/ack.lua',
    numberOfKeys: 'variable',
  });
  const runBury = defineScript(redis, { command: 'saleBury', file: 'sale/dead-letter.lua', numberOfKeys: 6 });

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
      return deliver(couponId, streams?.[0]?.[1] ?? []);
    });
  }

  /** Entries that were deleted before they were acknowledged are delivered without fields: nothing is left to do. */
  async function deliver(couponId: string, raw: RawEntry[]): Promise<Delivery> {
    const gone = raw.filter(([, fields]) => fields === null).map(([entryId]) => entryId);
    if (gone.length > 0) await redis.xack(saleKeys(couponId).outbox, group, ...gone);
    return parseEntries(raw.filter((entry): entry is [string, string[]] => entry[1] !== null));
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
        return deliver(couponId, claimed[1]);
      });
    },

    async readAll(couponId) {
      return parseEntries(await inTime(redis.xrange(saleKeys(couponId).outbox, '-', '+', 'COUNT', BATCH)));
    },

    async ackEntries(couponId, entries) {
      const { outbox, reservations } = saleKeys(couponId);
      const forgetting: Promise<unknown>[] = [];
      for (let from = 0; from < entries.length; from += FORGOTTEN_AT_ONCE) {
        const some = entries.slice(from, from + FORGOTTEN_AT_ONCE);
        const forgotten = runForget(
          [outbox, ...some.map(({ userId }) => reservations(userId))],
          [group, ...some.flatMap(({ entryId, orderId }) => [entryId, orderId])],
        );
        forgetting.push(forgotten);
      }
      await inTime(Promise.all(forgetting));
    },

    async deadLetter(couponId, { entryId, userId, requestId, why }) {
      const keys = saleKeys(couponId);
      const shopper = userId ?? '';
      const burying = runBury(
        [
          ...[keys.gate, keys.buyers, keys.outbox, keys.dead],
          ...[keys.reservations(shopper), keys.formerRequest(shopper, requestId ?? '')],
        ],
        [group, entryId, why, DEAD_KEPT_MS, MOST_DEAD_KEPT],
      );
      return (await inTime(burying)) === 1;
    },

    async countUnwritten(couponId) {
      const { outbox } = saleKeys(couponId);
      const [[first], entries] = await inTime(
        Promise.all([redis.xrange(outbox, '-', '+', 'COUNT', 1), redis.xlen(outbox)]),
      );
      return first && { entries, since: Number(first[0].split('-')[0]) };
    },
  };
}

const inTime = <Answer>(answer: Promise<Answer>) => withinStoreTimeout(answer, WAIT_MS);

/** The group comes into being with the gate; before that there is nothing to read. */
function noneWithoutGroup(read: () => Promise<Delivery>): Promise<Delivery> {
  const found = read().catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('NOGROUP')) return EMPTY_DELIVERY;
    throw error;
  });
  return inTime(found);
}
