import { randomBytes } from 'node:crypto';
import { StoreUnavailableError, withinStoreTimeout } from '../limiter';
import { type RedisClient, RedisUnreachableError } from '../redis/client';
import { labPrefix, scatteredLabPrefix } from '../redis/keys';
import type { LabConnections } from './lab-connections';
import { createLabLimiter, type LabLimiter, PATIENCE_MS } from './lab-limiter';
import type { Turns } from './turns';

/** What one experiment works with. Its keys are its own, and gone when it ends. */
export interface Experiment {
  /** Its connections, at least one. */
  clients: readonly [RedisClient, ...RedisClient[]];
  /** Aborted when it is to end. */
  signal: AbortSignal;
  /** A key of that name, in the slot of all its keys. */
  key(name: string): string;
  /** A key of that name, in a slot of its own. */
  scatteredKey(name: string): string;
  /** The product's limiter on the lab's clock, on that connection. */
  limiter(client?: RedisClient): LabLimiter;
  /** All keys that it has named or that a limiter has used, in that order. */
  keys(): string[];
  /** Tells, whenever it is asked, those of them that came after this. */
  newKeys(): () => string[];
}

export interface ExperimentOrder {
  signal: AbortSignal | undefined;
  /** How many connections it takes. Default 1. */
  connections?: number;
}

/** Conducts an experiment when its turn has come, and cleans up after it. */
export type Conduct = <Result>(
  order: ExperimentOrder,
  experiment: (experiment: Experiment) => Promise<Result>,
) => Promise<Result>;

export interface ExperimentOptions {
  connections: LabConnections;
  turns: Turns;
  /** Hears why keys were left to expire. */
  onLeft: (error: unknown) => void;
}

/** The answer of Redis to what an experiment asks; a `StoreUnavailableError` where it fails or does not come. */
export function answer<Answer>(asked: Promise<Answer>): Promise<Answer> {
  return withinStoreTimeout(asked, PATIENCE_MS);
}

export function createConduct({ connections, turns, onLeft }: ExperimentOptions): Conduct {
  return function conduct({ signal: caller, connections: count = 1 }, experiment) {
    return turns.take(caller, async (signal) => {
      try {
        return await conducted(await taken(connections, count), { signal, experiment });
      } finally {
        connections.rest();
      }
    });
  };

  async function conducted<Result>(
    clients: Experiment['clients'],
    { signal, experiment }: { signal: AbortSignal; experiment: (experiment: Experiment) => Promise<Result> },
  ): Promise<Result> {
    const id = randomBytes(4).toString('hex');
    const keys = new Set<string>();
    const named = (key: string) => {
      keys.add(key);
      return key;
    };
    try {
      return await experiment({
        clients,
        signal,
        key: (name) => named(labPrefix(id) + name),
        scatteredKey: (name) => named(scatteredLabPrefix(id) + name),
        limiter: (client = clients[0]) =>
          createLabLimiter({ redis: client, prefix: labPrefix(id), onKey: named }),
        keys: () => [...keys],
        newKeys() {
          const known = keys.size;
          return () => [...keys].slice(known);
        },
      });
    } finally {
      await remove(clients[0], keys).catch(onLeft);
    }
  }
}

async function taken(connections: LabConnections, count: number): Promise<Experiment['clients']> {
  try {
    return await connections.take(count);
  } catch (cause) {
    if (!(cause instanceof RedisUnreachableError)) throw cause;
    throw new StoreUnavailableError('the lab cannot reach Redis', { cause });
  }
}

/** One by one: those of a cluster need not lie in one slot. */
async function remove(client: RedisClient, keys: ReadonlySet<string>): Promise<void> {
  await answer(Promise.all([...keys].map((key) => client.unlink(key))));
}
