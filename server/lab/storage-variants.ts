import { awaitReply, type Experiment } from '../experiments/experiment';
import { experimentPolicy } from '../experiments/experiment-limiter';
import { mapInChunks } from '../experiments/map-in-chunks';
import type { RedisClient } from '../redis/client';
import { NAIVE_TTL_MS } from './naive-log';
import { createTimedClient, type Pipeline, timeInRedis } from './time-in-redis';

/** The forms of a stored log, in display order. */
export const storages = ['string', 'list', 'hash', 'set', 'zset', 'packed'] as const;
export type Storage = (typeof storages)[number];

/** The hits of a log. */
export interface HitLog {
  /** Ascending, epoch ms. */
  instants: readonly number[];
  windowMs: number;
}

/** A log in Redis. */
export interface WrittenLog {
  /** Reads the data of one decision. */
  read(): Promise<unknown>;
  /**
   * Makes the nth decision after the log was written, counted from 0: the oldest hit leaves and a new one is added, so that
   * the log keeps its size. Returns the time in Redis in µs.
   */
  decide(index: number): Promise<number>;
}

interface StorageVariant {
  write(experiment: Experiment, log: HitLog): Promise<WrittenLog>;
  /** Commands of one decision on a full log. */
  commands: readonly string[];
  /** True if Redis can select the hits of a window instead of returning all of them. */
  canQueryWindow: boolean;
}

/** The writes, reads and decisions of each form. */
export const storageVariants: Record<Storage, StorageVariant> = {
  string: {
    async write({ clients: [client], key }, log) {
      const name = key(`string-${log.instants.length}`);
      await awaitReply(client.set(name, log.instants.join(','), 'PX', NAIVE_TTL_MS));
      return {
        read: () => client.get(name),
        decide(index) {
          const hits = log.instants.map((_, offset) => instantAt(log, index + 1 + offset));
          return timeInRedis(client, (pipeline) =>
            pipeline.get(name).set(name, hits.join(','), 'PX', NAIVE_TTL_MS),
          );
        },
      };
    },
    commands: ['GET', 'SET PX'],
    canQueryWindow: false,
  },
  list: {
    write: (experiment, log) =>
      writeCollection(experiment, log, {
        name: 'list',
        write: (pipeline, key) => pipeline.rpush(key, ...log.instants),
        read: (client, key) => Promise.all([client.lindex(key, 0), client.llen(key)]),
        decide: (pipeline, key, { newest }) =>
          pipeline.lindex(key, 0).lpop(key).llen(key).rpush(key, newest.at),
      }),
    commands: ['LINDEX', 'LPOP …', 'LLEN', 'RPUSH', 'PEXPIRE'],
    canQueryWindow: false,
  },
  hash: {
    write: (experiment, log) =>
      writeCollection(experiment, log, {
        name: 'hash',
        write: (pipeline, key) =>
          pipeline.hset(key, Object.fromEntries(log.instants.map((hit, index) => [`hit-${index}`, hit]))),
        read: (client, key) => client.hgetall(key),
        decide: (pipeline, key, { oldest, newest }) =>
          pipeline.hgetall(key).hdel(key, `hit-${oldest.index}`).hset(key, `hit-${newest.index}`, newest.at),
      }),
    commands: ['HGETALL', 'HDEL …', 'HSET', 'PEXPIRE'],
    canQueryWindow: false,
  },
  set: {
    write: (experiment, log) =>
      writeCollection(experiment, log, {
        name: 'set',
        write: (pipeline, key) => pipeline.sadd(key, ...log.instants.map(createMember)),
        read: (client, key) => client.smembers(key),
        decide: (pipeline, key, { oldest, newest }) =>
          pipeline
            .smembers(key)
            .srem(key, createMember(oldest.at, oldest.index))
            .sadd(key, createMember(newest.at, newest.index)),
      }),
    commands: ['SMEMBERS', 'SREM …', 'SADD', 'PEXPIRE'],
    canQueryWindow: false,
  },
  zset: {
    write: (experiment, log) =>
      writeCollection(experiment, log, {
        name: 'zset',
        write: (pipeline, key) =>
          pipeline.zadd(key, ...log.instants.flatMap((hit, index) => [hit, createMember(hit, index)])),
        read: (client, key) => Promise.all([client.zremrangebyscore(key, '-inf', 0), client.zcard(key)]),
        decide: (pipeline, key, { oldest, newest }) =>
          pipeline
            .zremrangebyscore(key, '-inf', oldest.at)
            .zcard(key)
            .zadd(key, newest.at, createMember(newest.at, newest.index)),
      }),
    commands: ['ZREMRANGEBYSCORE', 'ZCARD', 'ZADD', 'PEXPIRE'],
    canQueryWindow: true,
  },
  packed: {
    async write(experiment, log) {
      const { instants, windowMs } = log;
      const limiter = experiment.limiter();
      const timed = createTimedClient(experiment.clients[0]);
      const timedLimiter = experiment.limiter(timed.client);
      const policy = experimentPolicy(`packed-${instants.length}`, [
        { level: 'global', limit: instants.length, windowMs },
      ]);
      await mapInChunks(instants, (now) => limiter.decideAt(now, policy), experiment);
      return {
        async read() {
          await limiter.decideAt(instants.at(-1) ?? 0, policy);
          return limiter.lastReply();
        },
        async decide(index) {
          await timedLimiter.decideAt(instantAt(log, instants.length + index), policy);
          return timed.micros();
        },
      };
    },
    commands: ['EVALSHA'],
    canQueryWindow: true,
  },
};

interface Hit {
  index: number;
  /** Epoch ms. */
  at: number;
}

interface Collection {
  name: Exclude<Storage, 'string' | 'packed'>;
  write(pipeline: Pipeline, key: string): Pipeline;
  read(client: RedisClient, key: string): Promise<unknown>;
  /** Adds the commands of one decision, without `PEXPIRE`. */
  decide(pipeline: Pipeline, key: string, hits: { oldest: Hit; newest: Hit }): Pipeline;
}

async function writeCollection(
  { clients: [client], key }: Experiment,
  log: HitLog,
  { name, write, read, decide }: Collection,
): Promise<WrittenLog> {
  const stored = key(`${name}-${log.instants.length}`);
  await execTransaction(write(client.multi(), stored).pexpire(stored, NAIVE_TTL_MS));
  const hitAt = (index: number): Hit => ({ index, at: instantAt(log, index) });
  return {
    read: () => read(client, stored),
    decide: (index) =>
      timeInRedis(client, (pipeline) => {
        const hits = { oldest: hitAt(index), newest: hitAt(log.instants.length + index) };
        return decide(pipeline, stored, hits).pexpire(stored, NAIVE_TTL_MS);
      }),
  };
}

/** Returns the time of a hit, also of those after the log, which continue it in the same rhythm. */
function instantAt({ instants, windowMs }: HitLog, index: number): number {
  const windows = Math.floor(index / instants.length);
  return (instants[index % instants.length] ?? 0) + windows * windowMs;
}

/** Two hits of one millisecond have different members. */
function createMember(at: number, index: number): string {
  return `${at}-${index}`;
}

/** Waits for a pipeline. Throws its first error. */
async function execTransaction(transaction: Pipeline): Promise<void> {
  for (const [error] of (await awaitReply(transaction.exec())) ?? []) if (error) throw error;
}
