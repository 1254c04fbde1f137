import { createRunExperiment } from '../experiments/experiment';
import { createExperimentConnections } from '../experiments/experiment-connections';
import { createExperimentQueue } from '../experiments/experiment-queue';
import type { Log } from '../observability/log';
import type { RedisClient } from '../redis/client';
import { createShowMistake } from './cards/cards';
import { createExample } from './example';
import { createFairness } from './fairness';
import { createLayers } from './layers';
import { createRace } from './race';
import { createRoundTrips } from './round-trips';
import type { LabVerbs } from './router';
import { createReadProgress, createRun } from './run';
import { createStorageGrowth } from './storage-growth';
import { createStorages } from './storages';

export interface LabOptions {
  /** The value of `REDIS_URL`. Several URLs are nodes of a cluster. */
  urls: readonly string[];
  /** Reads progress, outside experiments. */
  redis: RedisClient;
  log: Pick<Log, 'debug' | 'warn'>;
}

export interface Lab extends Omit<LabVerbs, 'arrivals'> {
  /** Aborts experiments and closes the lab's connections. */
  stop(): Promise<void>;
}

/** Creates the lab of one node. It uses the sale's Redis with separate connections and a separate key prefix. */
export function createLab({ urls, redis, log }: LabOptions): Lab {
  const connections = createExperimentConnections({
    urls,
    onError: (error) => log.debug({ err: error, purpose: 'lab' }, 'Redis cannot be reached.'),
  });
  const queue = createExperimentQueue();
  const runExperiment = createRunExperiment({
    connections,
    queue,
    onCleanupError: (error) =>
      log.warn({ err: error }, 'Deleting the keys of an experiment failed. They expire instead.'),
  });
  const run = createRun({ runExperiment });
  return {
    run,
    example: createExample({
      run,
      onFailure: (error) => log.debug({ err: error }, 'The example of the lab could not run.'),
    }),
    progress: createReadProgress({ redis }),
    race: createRace({ runExperiment }),
    mistake: createShowMistake({ runExperiment }),
    roundTrips: createRoundTrips({ runExperiment }),
    storages: createStorages({ runExperiment }),
    storageGrowth: createStorageGrowth({ runExperiment }),
    layers: createLayers({ runExperiment }),
    fairness: createFairness({ runExperiment }),
    async stop() {
      await queue.close();
      connections.close();
    },
  };
}
