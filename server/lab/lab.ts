import type { Log } from '../observability/log';
import type { RedisClient } from '../redis/client';
import { createConduct } from './experiment';
import { createLabConnections } from './lab-connections';
import { createLayers } from './layers';
import { createShowMistake } from './mistakes/show-mistake';
import { createReadProgress, tellProgress } from './progress';
import { createRace } from './race';
import { createRoundTrips } from './round-trips';
import type { LabVerbs } from './router';
import { createRun } from './run';
import { createStorages } from './storages';
import { createTurns } from './turns';

export interface LabOptions {
  /** As in `REDIS_URL`; several are nodes of a cluster. */
  urls: readonly string[];
  /** For looks that no experiment makes. */
  redis: RedisClient;
  log: Pick<Log, 'debug' | 'warn'>;
}

export interface Lab extends LabVerbs {
  /** Ends what is under way and closes the lab's connections. */
  stop(): Promise<void>;
}

/** The lab of one node: on the Redis of the sale, over connections of its own, in a key space of its own. */
export function createLab({ urls, redis, log }: LabOptions): Lab {
  const connections = createLabConnections({
    urls,
    onError: (error) => log.debug({ err: error, purpose: 'lab' }, 'Redis cannot be reached.'),
  });
  const turns = createTurns();
  const conduct = createConduct({
    connections,
    turns,
    onLeft: (error) => log.warn({ err: error }, 'Keys of an experiment are left to expire.'),
  });
  return {
    run: createRun({ conduct, tellProgress }),
    progress: createReadProgress({ redis }),
    race: createRace({ conduct }),
    mistake: createShowMistake({ conduct }),
    roundTrips: createRoundTrips({ conduct }),
    storages: createStorages({ conduct }),
    layers: createLayers({ conduct }),
    async stop() {
      await turns.close();
      connections.close();
    },
  };
}
