import { awaitReply, type Experiment, type RunExperiment } from '../experiments/experiment';
import { clockOrigin, experimentPolicy } from '../experiments/experiment-limiter';
import { mapInChunks } from '../experiments/map-in-chunks';
import type { RedisClient } from '../redis/client';
import type { KeySnapshot } from './key-snapshots';
import { readKeySnapshots } from './key-snapshots';
import { NAIVE_TTL_MS } from './naive-log';

export const storages = ['string', 'list', 'hash', 'zset', 'packed'] as const;
type Storage = (typeof storages)[number];

export interface StoragesInput {
  hits: number;
  windowMs: number;
  signal?: AbortSignal | undefined;
}

/** The same log of hits in each Redis type, and in the product's packed form. */
export interface Storages {
  storages: StoredLog[];
  hits: number;
  windowMs: number;
}

export interface StoredLog {
  storage: Storage;
  bytes: number;
  /** Memory of one hit. */
  bytesPerHit: number;
  /** Commands of one decision on a full log. */
  commands: string[];
  /** Size of the replies in bytes, without protocol overhead. */
  bytesRead: number;
  /** True if Redis can select the hits of a window instead of returning all of them. */
  canQueryWindow: boolean;
  key: KeySnapshot;
}

/** Creates the comparison of storage forms for the same hits, spread over a window. */
export function createStorages({ runExperiment }: { runExperiment: RunExperiment }) {
  return function compareStorages({ hits, windowMs, signal }: StoragesInput): Promise<Storages> {
    return runExperiment({ signal }, async (experiment) => {
      const origin = clockOrigin(windowMs);
      const instants = Array.from(
        { length: hits },
        (_, index) => origin + Math.floor((index * windowMs) / hits),
      );
      const compared: StoredLog[] = [];
      for (const storage of storages) {
        experiment.signal.throwIfAborted();
        compared.push(await storeLog(experiment, { storage, instants, windowMs }));
      }
      return { storages: compared, hits, windowMs };
    });
  };
}

interface Log {
  /** Ascending, epoch ms. */
  instants: readonly number[];
  windowMs: number;
}

async function storeLog(
  experiment: Experiment,
  { storage, ...log }: Log & { storage: Storage },
): Promise<StoredLog> {
  const { write, commands, canQueryWindow } = variants[storage];
  const listNewKeys = experiment.trackNewKeys();
  const read = await write(experiment, log);
  const packedBy = storage === 'packed' ? 'sliding-log' : undefined;
  const [key] = await readKeySnapshots(experiment, listNewKeys(), {
    origin: clockOrigin(log.windowMs),
    packedBy,
  });
  if (!key) throw new Error(`the log was not stored as ${storage}`);
  return {
    storage,
    bytes: key.bytes,
    bytesPerHit: key.bytes / log.instants.length,
    commands: [...commands],
    bytesRead: countReplyBytes(await awaitReply(read())),
    canQueryWindow,
    key,
  };
}

interface StorageVariant {
  /** Writes the log. Returns a function that reads the data of one decision. */
  write: (experiment: Experiment, log: Log) => Promise<() => Promise<unknown>>;
  commands: readonly string[];
  canQueryWindow: boolean;
}

const variants: Record<Storage, StorageVariant> = {
  string: {
    async write({ clients: [client], key }, { instants }) {
      const log = key('string');
      await awaitReply(client.set(log, instants.join(','), 'PX', NAIVE_TTL_MS));
      return () => client.get(log);
    },
    commands: ['GET', 'SET PX'],
    canQueryWindow: false,
  },
  list: {
    async write({ clients: [client], key }, { instants }) {
      const log = key('list');
      await execTransaction(
        client
          .multi()
          .rpush(log, ...instants)
          .pexpire(log, NAIVE_TTL_MS),
      );
      return () => Promise.all([client.lindex(log, 0), client.llen(log)]);
    },
    commands: ['LINDEX', 'LPOP …', 'LLEN', 'RPUSH', 'PEXPIRE'],
    canQueryWindow: false,
  },
  hash: {
    async write({ clients: [client], key }, { instants }) {
      const log = key('hash');
      const fields = Object.fromEntries(instants.map((hit, index) => [`hit-${index}`, hit]));
      await execTransaction(client.multi().hset(log, fields).pexpire(log, NAIVE_TTL_MS));
      return () => client.hgetall(log);
    },
    commands: ['HGETALL', 'HDEL …', 'HSET', 'PEXPIRE'],
    canQueryWindow: false,
  },
  zset: {
    async write({ clients: [client], key }, { instants }) {
      const log = key('zset');
      const members = instants.flatMap((hit, index) => [hit, `${hit}-${index}`]);
      await execTransaction(
        client
          .multi()
          .zadd(log, ...members)
          .pexpire(log, NAIVE_TTL_MS),
      );
      return () => Promise.all([client.zremrangebyscore(log, '-inf', 0), client.zcard(log)]);
    },
    commands: ['ZREMRANGEBYSCORE', 'ZCARD', 'ZADD', 'PEXPIRE'],
    canQueryWindow: true,
  },
  packed: {
    async write(experiment, { instants, windowMs }) {
      const limiter = experiment.limiter();
      const policy = experimentPolicy('packed', [{ level: 'global', limit: instants.length, windowMs }]);
      await mapInChunks(instants, (now) => limiter.decideAt(now, policy), experiment);
      return async () => {
        await limiter.decideAt(instants.at(-1) ?? 0, policy);
        return limiter.lastReply();
      };
    },
    commands: ['EVALSHA'],
    canQueryWindow: true,
  },
};

/** Waits for a transaction. Throws its first error. */
async function execTransaction(transaction: ReturnType<RedisClient['multi']>): Promise<void> {
  for (const [error] of (await awaitReply(transaction.exec())) ?? []) if (error) throw error;
}

/** Counts the bytes of a reply as text. */
function countReplyBytes(reply: unknown): number {
  if (Array.isArray(reply)) return reply.reduce<number>((sum, part) => sum + countReplyBytes(part), 0);
  if (typeof reply === 'object' && reply !== null) return countReplyBytes(Object.entries(reply));
  return Buffer.byteLength(String(reply));
}
