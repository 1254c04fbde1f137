import type { Db } from '../db/client';
import { createConduct } from '../lab/experiment';
import { createLabConnections } from '../lab/lab-connections';
import { createTurns } from '../lab/turns';
import type { Limiter } from '../limiter';
import type { Arrivals } from '../limits/arrivals';
import type { RateCounter } from '../limits/rates';
import type { Subjects } from '../limits/subjects';
import type { Log } from '../observability/log';
import { auditTrail } from './audit-trail';
import { createExplain } from './explain';
import type { OpsVerbs } from './router';
import { createSaleRows } from './sale-rows';
import { createWhatIf } from './what-if';

export interface OpsOptions {
  /** As in `REDIS_URL`; several are nodes of a cluster. */
  urls: readonly string[];
  db: Db;
  limiter: Limiter;
  rates: RateCounter;
  arrivals: Arrivals;
  subjects: Subjects;
  sale: Pick<OpsVerbs, 'refundsDue' | 'deadLetters'>;
  log: Pick<Log, 'debug' | 'warn'>;
}

/** What operators are told by one node. */
export interface Ops {
  verbs: OpsVerbs;
  stop(): Promise<void>;
}

export function createOps(options: OpsOptions): Ops {
  const { urls, db, limiter, rates, arrivals, subjects, sale, log } = options;
  // Replays are experiments, but operators do not stand in line with the lab's visitors.
  const connections = createLabConnections({
    urls,
    onError: (error) => log.debug({ err: error, purpose: 'what if' }, 'Redis cannot be reached.'),
  });
  const turns = createTurns();
  const conduct = createConduct({
    connections,
    turns,
    onLeft: (error) => log.warn({ err: error }, 'Keys of a replay are left to expire.'),
  });

  return {
    verbs: {
      whatIf: createWhatIf({ limiter, arrivals, conduct }),
      refusedSubjects: async () => subjects.refused((await rates.fleet()).map(({ node }) => node)),
      explain: createExplain({ limiter, arrivals }),
      auditTrail: (query) => auditTrail(db, query),
      saleRows: createSaleRows({ db }),
      refundsDue: sale.refundsDue,
      deadLetters: sale.deadLetters,
    },

    async stop() {
      await turns.close();
      connections.close();
    },
  };
}
