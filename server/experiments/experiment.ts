import { randomBytes } from 'node:crypto';
import { StoreUnavailableError, withinStoreTimeout } from '../limiter/index';
import { type RedisClient, RedisUnreachableError } from '../redis/client';
import { experimentPrefix, scatteredExperimentPrefix } from '../redis/keys';
import type { ExperimentConnections } from './experiment-connections';
import {
  createExperimentLimiter,
  type ExperimentLimiter,
  type ExperimentLimiterOptions,
  REPLY_TIMEOUT_MS,
} from './experiment-limiter';
import type { ExperimentQueue } from './experiment-queue';

/** The resources of one experiment. Its keys are private, and deleted when it ends. */
export interface Experiment {
  /** At least one connection. */
  clients: readonly [RedisClient, ...RedisClient[]];
  /** Aborts when the experiment has to stop. */
  signal: AbortSignal;
  /** Returns a key in the hash slot that all keys of the experiment share. */
  key(name: string): string;
  /** Returns a key without the shared hash tag, so that its name selects its hash slot. */
  scatteredKey(name: string): string;
  /** Creates the product's limiter on the experiment's clock. Default: on the first connection, as one of one node. */
  limiter(
    client?: ExperimentLimiterOptions['redis'],
    options?: Pick<ExperimentLimiterOptions, 'nodes' | 'timeoutMs'>,
  ): ExperimentLimiter;
  /** Lists all keys that the experiment has named or its limiters have used, in that order. */
  keys(): string[];
  /** Returns a function that lists the keys added since this call. */
  trackNewKeys(): () => string[];
}

export interface RunExperimentOptions {
  signal: AbortSignal | undefined;
  /** Number of connections. Default: 1. */
  connections?: number;
}

/** Runs an experiment when the queue has a free slot, then deletes its keys. */
export type RunExperiment = <Result>(
  options: RunExperimentOptions,
  experiment: (experiment: Experiment) => Promise<Result>,
) => Promise<Result>;

/** Waits for a reply of Redis. Throws `StoreUnavailableError` if the command fails or times out. */
export function awaitReply<Reply>(reply: Promise<Reply>): Promise<Reply> {
  return withinStoreTimeout(reply, REPLY_TIMEOUT_MS);
}

/** Runs experiments through the queue, each with its own clients. Its keys are deleted when it ends. */
export function createRunExperiment({
  connections,
  queue,
  onCleanupError,
}: {
  connections: ExperimentConnections;
  queue: ExperimentQueue;
  /** Receives the error that prevented the deletion of keys. They expire instead. */
  onCleanupError: (error: unknown) => void;
}): RunExperiment {
  return function runExperiment({ signal: caller, connections: count = 1 }, experiment) {
    return queue.add(caller, async (signal) => {
      try {
        return await runWithClients(await acquireClients(connections, count), { signal, experiment });
      } finally {
        connections.release();
      }
    });
  };

  async function runWithClients<Result>(
    clients: Experiment['clients'],
    { signal, experiment }: { signal: AbortSignal; experiment: (experiment: Experiment) => Promise<Result> },
  ): Promise<Result> {
    const id = randomBytes(4).toString('hex');
    const keys = new Set<string>();
    const track = (key: string) => {
      keys.add(key);
      return key;
    };
    try {
      return await experiment({
        clients,
        signal,
        key: (name) => track(experimentPrefix(id) + name),
        scatteredKey: (name) => track(scatteredExperimentPrefix(id) + name),
        limiter: (client = clients[0], options = {}) =>
          createExperimentLimiter({ redis: client, prefix: experimentPrefix(id), onKey: track, ...options }),
        keys: () => [...keys],
        trackNewKeys() {
          const known = keys.size;
          return () => [...keys].slice(known);
        },
      });
    } finally {
      await deleteKeys(clients[0], keys).catch(onCleanupError);
    }
  }
}

async function acquireClients(
  connections: ExperimentConnections,
  count: number,
): Promise<Experiment['clients']> {
  try {
    return await connections.acquire(count);
  } catch (cause) {
    if (!(cause instanceof RedisUnreachableError)) throw cause;
    throw new StoreUnavailableError('experiments cannot reach Redis', { cause });
  }
}

/** Sends one command for each key, because keys on a cluster may be in different slots. */
async function deleteKeys(client: RedisClient, keys: ReadonlySet<string>): Promise<void> {
  await awaitReply(Promise.all([...keys].map((key) => client.unlink(key))));
}
