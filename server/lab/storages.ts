import type { RedisClient } from '../redis/client';
import { answer, type Conduct, type Experiment } from './experiment';
import { inChunks } from './in-chunks';
import type { KeyLook } from './key-look';
import { clockOrigin } from './lab-clock';
import { labPolicy } from './lab-limiter';
import { looksAt } from './look-at-key';
import { NAIVE_LIVES_MS } from './naive/naive-lives';

export const storages = ['string', 'list', 'hash', 'zset', 'packed'] as const;
type Storage = (typeof storages)[number];

export interface StoragesOrder {
  hits: number;
  windowMs: number;
  signal?: AbortSignal | undefined;
}

/** One log of hits, kept in each type of Redis, and as the product keeps it. */
export interface Storages {
  storages: StoredLog[];
  hits: number;
  windowMs: number;
}

export interface StoredLog {
  storage: Storage;
  bytes: number;
  /** Of one hit. */
  bytesPerHit: number;
  /** What one decision sends, when the log is full. */
  commands: string[];
  /** How many bytes Redis answers to that: text and numbers, without what the protocol puts around them. */
  bytesRead: number;
  /** Whether Redis can be asked for the hits of a window, rather than for all of them. */
  knowsItsWindow: boolean;
  key: KeyLook;
}

/** Keeps the same hits, spread over a window, in every way. */
export function createStorages({ conduct }: { conduct: Conduct }) {
  return function compareStorages({ hits, windowMs, signal }: StoragesOrder): Promise<Storages> {
    return conduct({ signal }, async (experiment) => {
      const origin = clockOrigin(windowMs);
      const instants = Array.from(
        { length: hits },
        (_, place) => origin + Math.floor((place * windowMs) / hits),
      );
      const compared: StoredLog[] = [];
      for (const storage of storages) {
        experiment.signal.throwIfAborted();
        compared.push(await stored(experiment, { storage, instants, windowMs }));
      }
      return { storages: compared, hits, windowMs };
    });
  };
}

interface Log {
  /** Epoch ms, in order. */
  instants: readonly number[];
  windowMs: number;
}

async function stored(
  experiment: Experiment,
  { storage, ...log }: Log & { storage: Storage },
): Promise<StoredLog> {
  const { keep, commands, knowsItsWindow } = ways[storage];
  const own = experiment.newKeys();
  const read = await keep(experiment, log);
  const packedBy = storage === 'packed' ? 'sliding-log' : undefined;
  const [key] = await looksAt(experiment, own(), { origin: clockOrigin(log.windowMs), packedBy });
  if (!key) throw new Error(`the log as ${storage} was not kept`);
  return {
    storage,
    bytes: key.bytes,
    bytesPerHit: key.bytes / log.instants.length,
    commands: [...commands],
    bytesRead: bytesOf(await answer(read())),
    knowsItsWindow,
    key,
  };
}

interface Way {
  /** Writes the log, and returns what reads of it as much as one decision has to know. */
  keep: (experiment: Experiment, log: Log) => Promise<() => Promise<unknown>>;
  commands: readonly string[];
  knowsItsWindow: boolean;
}

const ways: Record<Storage, Way> = {
  string: {
    async keep({ clients: [client], key }, { instants }) {
      const log = key('string');
      await answer(client.set(log, instants.join(','), 'PX', NAIVE_LIVES_MS));
      return () => client.get(log);
    },
    commands: ['GET', 'SET PX'],
    knowsItsWindow: false,
  },
  list: {
    async keep({ clients: [client], key }, { instants }) {
      const log = key('list');
      await written(
        client
          .multi()
          .rpush(log, ...instants)
          .pexpire(log, NAIVE_LIVES_MS),
      );
      return () => Promise.all([client.lindex(log, 0), client.llen(log)]);
    },
    commands: ['LINDEX', 'LPOP …', 'LLEN', 'RPUSH', 'PEXPIRE'],
    knowsItsWindow: false,
  },
  hash: {
    async keep({ clients: [client], key }, { instants }) {
      const log = key('hash');
      const fields = Object.fromEntries(instants.map((hit, place) => [`hit-${place}`, hit]));
      await written(client.multi().hset(log, fields).pexpire(log, NAIVE_LIVES_MS));
      return () => client.hgetall(log);
    },
    commands: ['HGETALL', 'HDEL …', 'HSET', 'PEXPIRE'],
    knowsItsWindow: false,
  },
  zset: {
    async keep({ clients: [client], key }, { instants }) {
      const log = key('zset');
      const members = instants.flatMap((hit, place) => [hit, `${hit}-${place}`]);
      await written(
        client
          .multi()
          .zadd(log, ...members)
          .pexpire(log, NAIVE_LIVES_MS),
      );
      return () => Promise.all([client.zremrangebyscore(log, '-inf', 0), client.zcard(log)]);
    },
    commands: ['ZREMRANGEBYSCORE', 'ZCARD', 'ZADD', 'PEXPIRE'],
    knowsItsWindow: true,
  },
  packed: {
    async keep(experiment, { instants, windowMs }) {
      const limiter = experiment.limiter();
      const policy = labPolicy('packed', [{ level: 'global', limit: instants.length, windowMs }]);
      await inChunks(instants, (now) => limiter.decideAt(now, policy), experiment);
      return async () => {
        await limiter.decideAt(instants.at(-1) ?? 0, policy);
        return limiter.lastReply();
      };
    },
    commands: ['EVALSHA'],
    knowsItsWindow: true,
  },
};

/** Waits for a transaction; throws the first error in it. */
async function written(transaction: ReturnType<RedisClient['multi']>): Promise<void> {
  for (const [error] of (await answer(transaction.exec())) ?? []) if (error) throw error;
}

/** What a reply says, in bytes of text. */
function bytesOf(reply: unknown): number {
  if (Array.isArray(reply)) return reply.reduce<number>((sum, part) => sum + bytesOf(part), 0);
  if (typeof reply === 'object' && reply !== null) return bytesOf(Object.entries(reply));
  return Buffer.byteLength(String(reply));
}
