import { withinStoreTimeout } from '../../limiter/index';
import { defineScript } from '../../limiter/stores';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';

/** An order in the form that `purchase.lua` adds to the outbox. */
export interface OutboxEntry {
  /** The id in the stream, which is acked. */
  entryId: string;
  generation: number;
  /** The number of the purchase within its generation; 0 from a version without sequences. */
  sequence: number;
  orderId: string;
  userId: string;
  code: string;
  requestId: string | null;
  createdAt: number;
}

/** An entry that is not a valid order, with the fields that it has. */
export interface MalformedEntry {
  entryId: string;
  userId?: string | undefined;
}

/** The outboxes, read by one consumer of their group. Every method throws `StoreUnavailableError`. */
export interface Outbox {
  /** Reads new entries. Returns none before the gate has been opened. */
  readNew(couponId: string): Promise<Delivery>;
  /** Reads entries that this consumer has read but not acked, because a write failed. */
  readOwn(couponId: string): Promise<Delivery>;
  /** Claims entries that another consumer has not acked for `idleMs`. */
  reclaim(couponId: string, idleMs: number): Promise<Delivery>;
  /** Reads all entries, also those that any consumer has read. */
  readAll(couponId: string): Promise<Delivery>;
  /** Acks and deletes settled entries, and deletes their reservations. */
  ackEntries(couponId: string, entries: readonly OutboxEntry[]): Promise<void>;
  /**
   * Moves an entry that cannot be written to the dead letters and returns its stock. Its shopper may buy again. Returns
   * false if the entry is no longer in the outbox.
   */
  deadLetter(couponId: string, entry: UnwritableEntry): Promise<boolean>;
  /** Returns the number and age of the unsettled entries; undefined if there are none. */
  readBacklog(couponId: string): Promise<Backlog | undefined>;
}

/** An entry that cannot be written, with the reason. `userId` addresses the shopper's key. */
export interface UnwritableEntry extends MalformedEntry {
  why: string;
}

export interface Backlog {
  entries: number;
  /** Time of the oldest entry, in epoch ms of Redis's clock. */
  since: number;
}

export interface Delivery {
  entries: OutboxEntry[];
  malformed: MalformedEntry[];
}

type RawEntry = [entryId: string, fields: string[] | null];

export const EMPTY_DELIVERY: Delivery = { entries: [], malformed: [] };
/** Entries per transaction: enough to spread its cost, few enough to be reported soon. */
const BATCH = 1_000;
/** Entries per call of ack.lua, which blocks Redis for less than 0.5 ms. */
const ACK_BATCH = 100;
/** Dead letters stay long enough for a person who returns after a weekend, and few enough not to fill Redis. */
const DEAD_LETTER_TTL_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_DEAD_LETTERS = 1_000;
/** A slower Redis is frozen, and its connection is closed. */
const OUTBOX_TIMEOUT_MS = 5_000;

/** Creates the outbox reader of a node. */
export function createOutbox({
  redis,
  group,
  consumer,
}: {
  redis: RedisClient;
  group: string;
  /** The same across restarts of a node, so that it finds the entries that it had read. */
  consumer: string;
}): Outbox {
  const runAck = defineScript(redis, {
    command: 'saleAck',
    file: 'sale/ack.lua',
    numberOfKeys: 'variable',
  });
  const runDeadLetter = defineScript(redis, {
    command: 'saleDeadLetter',
    file: 'sale/dead-letter.lua',
    numberOfKeys: 5,
  });

  async function read(couponId: string, from: '>' | '0'): Promise<Delivery> {
    const { outbox } = saleKeys(couponId);
    return emptyWithoutGroup(async () => {
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
      return toDelivery(couponId, streams?.[0]?.[1] ?? []);
    });
  }

  /** Acks entries without fields: they were deleted before they were acked. Parses the others. */
  async function toDelivery(couponId: string, raw: RawEntry[]): Promise<Delivery> {
    const gone = raw.filter(([, fields]) => fields === null).map(([entryId]) => entryId);
    if (gone.length > 0) await redis.xack(saleKeys(couponId).outbox, group, ...gone);
    return parseEntries(raw.filter((entry): entry is [string, string[]] => entry[1] !== null));
  }

  return {
    readNew: (couponId) => read(couponId, '>'),
    readOwn: (couponId) => read(couponId, '0'),

    reclaim(couponId, idleMs) {
      const { outbox } = saleKeys(couponId);
      return emptyWithoutGroup(async () => {
        const claimed = (await redis.xautoclaim(outbox, group, consumer, idleMs, '0', 'COUNT', BATCH)) as [
          next: string,
          entries: RawEntry[],
        ];
        return toDelivery(couponId, claimed[1]);
      });
    },

    async readAll(couponId) {
      return parseEntries(
        await withinOutboxTimeout(redis.xrange(saleKeys(couponId).outbox, '-', '+', 'COUNT', BATCH)),
      );
    },

    async ackEntries(couponId, entries) {
      const { outbox, reservations } = saleKeys(couponId);
      const acking: Promise<unknown>[] = [];
      for (let from = 0; from < entries.length; from += ACK_BATCH) {
        const some = entries.slice(from, from + ACK_BATCH);
        const ack = runAck(
          [outbox, ...some.map(({ userId }) => reservations(userId))],
          [group, ...some.flatMap(({ entryId, orderId }) => [entryId, orderId])],
        );
        acking.push(ack);
      }
      await withinOutboxTimeout(Promise.all(acking));
    },

    async deadLetter(couponId, { entryId, userId, why }) {
      const keys = saleKeys(couponId);
      const moving = runDeadLetter(
        [keys.gate, keys.buyers, keys.outbox, keys.dead, keys.reservations(userId ?? '')],
        [group, entryId, why, DEAD_LETTER_TTL_MS, MAX_DEAD_LETTERS],
      );
      return (await withinOutboxTimeout(moving)) === 1;
    },

    async readBacklog(couponId) {
      const { outbox } = saleKeys(couponId);
      const [first] = await withinOutboxTimeout(redis.xrange(outbox, '-', '+', 'COUNT', 1));
      if (!first) return undefined;
      const entries = await withinOutboxTimeout(redis.xlen(outbox));
      return { entries, since: Number(first[0].split('-')[0]) };
    },
  };
}

const withinOutboxTimeout = <Reply>(reply: Promise<Reply>) => withinStoreTimeout(reply, OUTBOX_TIMEOUT_MS);

/** Returns an empty delivery if the group does not exist: the first opening of the gate creates it. */
function emptyWithoutGroup(read: () => Promise<Delivery>): Promise<Delivery> {
  const found = read().catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('NOGROUP')) return EMPTY_DELIVERY;
    throw error;
  });
  return withinOutboxTimeout(found);
}

/** Splits the entries of a stream into valid and malformed ones. */
export function parseEntries(raw: readonly [entryId: string, flat: string[]][]): {
  entries: OutboxEntry[];
  malformed: MalformedEntry[];
} {
  const entries: OutboxEntry[] = [];
  const malformed: MalformedEntry[] = [];
  for (const [entryId, flat] of raw) {
    const fields = toFields(flat);
    const entry = toEntry(entryId, fields);
    if (entry) entries.push(entry);
    else malformed.push({ entryId, userId: fields.shopper });
  }
  return { entries, malformed };
}

type Fields = Record<string, string | undefined>;

function toFields(flat: string[]): Fields {
  const fields: Fields = {};
  for (let index = 0; index < flat.length; index += 2) fields[String(flat[index])] = flat[index + 1];
  return fields;
}

/** Parses by hand, because a schema is slower and every order passes here. */
function toEntry(entryId: string, fields: Fields): OutboxEntry | undefined {
  const { order, shopper, code, request } = fields;
  const generation = Number(fields.generation);
  const sequence = Number(fields.sequence ?? 0);
  const createdAt = Number(fields.at);
  if (!order || !shopper || !code || request === undefined) return undefined;
  if (![generation, sequence, createdAt].every(Number.isSafeInteger)) return undefined;
  const requestId = request || null;
  return { entryId, generation, sequence, orderId: order, userId: shopper, code, requestId, createdAt };
}
