import { createRunExperiment } from '../experiments/experiment';
import { createExperimentConnections } from '../experiments/experiment-connections';
import { createExperimentQueue } from '../experiments/experiment-queue';
import type { Log } from '../observability/log';
import type { RedisClient } from '../redis/client';
import { createShowMistake } from './cards/cards';
import { createExamineLimiter, readExamination } from './examine/examine-limiter';
import { createReadExample } from './example';
import { createCompareFairness } from './fairness';
import { createRunLadder } from './ladder';
import { createCompareLayers } from './layers';
import { createCompareLeases } from './leases';
import { createRace } from './race';
import { createMeasureRoundTrips } from './round-trips';
import type { LabVerbs } from './router';
import { createReadProgress, createRun } from './run';
import { createMeasureGrowth } from './storage-growth';
import { createCompareStorages } from './storages';

export interface LabOptions {
  /** The value of `REDIS_URL`. Several URLs are nodes of a cluster. */
  urls: readonly string[];
  /** Reads progress and that of waiting experiments, outside experiments. */
  redis: RedisClient;
  log: Pick<Log, 'debug' | 'warn'>;
}

export interface Lab extends Omit<LabVerbs, 'readSaleTraffic'> {
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
    readExample: createReadExample({
      run,
      onFailure: (error) => log.debug({ err: error }, 'The example of the lab could not run.'),
    }),
    readProgress: createReadProgress({ redis }),
    race: createRace({ runExperiment }),
    showMistake: createShowMistake({ runExperiment }),
    measureRoundTrips: createMeasureRoundTrips({ runExperiment }),
    compareLeases: createCompareLeases({ runExperiment }),
    compareStorages: createCompareStorages({ runExperiment }),
    measureGrowth: createMeasureGrowth({ runExperiment }),
    runLadder: createRunLadder({ runExperiment }),
    compareLayers: createCompareLayers({ runExperiment }),
    compareFairness: createCompareFairness({ runExperiment }),
    examine: createExamineLimiter({ runExperiment, queue, redis }),
    readExamination,
    async stop() {
      await queue.close();
      connections.close();
    },
  };
}
