import type { Drill } from './drill';
import { behindNginx } from './faults/behind-nginx';
import { bots } from './faults/bots';
import { clusterFailover } from './faults/cluster-failover';
import { connectionCut } from './faults/connection-cut';
import { everyNodeKilled } from './faults/every-node-killed';
import { forgedCallers } from './faults/forged-callers';
import { hostileRequests } from './faults/hostile-requests';
import { leaseHolderFrozen } from './faults/lease-holder-frozen';
import { limitsFlapping } from './faults/limits-flapping';
import { nodeKilled } from './faults/node-killed';
import { poisonedOutbox } from './faults/poisoned-outbox';
import { postgresFrozen } from './faults/postgres-frozen';
import { postgresKilled } from './faults/postgres-killed';
import { postgresStopped } from './faults/postgres-stopped';
import { queueFailover } from './faults/queue-failover';
import { queueFairness } from './faults/queue-fairness';
import { queueLimitsChanged } from './faults/queue-limits-changed';
import { queueNodeKilled } from './faults/queue-node-killed';
import { queuePromises } from './faults/queue-promises';
import { queueRedisEmptied } from './faults/queue-redis-emptied';
import { queueRedisFrozen } from './faults/queue-redis-frozen';
import { readFloods } from './faults/read-floods';
import { redisEmptied } from './faults/redis-emptied';
import { redisFrozen } from './faults/redis-frozen';
import { redisFull } from './faults/redis-full';
import { redisKilled } from './faults/redis-killed';
import { redisMasterKilled } from './faults/redis-master-killed';
import { redisReplicaKilled } from './faults/redis-replica-killed';
import { redisRestored } from './faults/redis-restored';
import { repliesLost } from './faults/replies-lost';
import { rollingUpgrade } from './faults/rolling-upgrade';
import { scriptsFlushed } from './faults/scripts-flushed';
import { settlingNodeKilled } from './faults/settling-node-killed';
import { slotsMoved } from './faults/slots-moved';
import { slowClients } from './faults/slow-clients';
import { subjectLimitsFlapping } from './faults/subject-limits-flapping';

/** All drills in the order of the table: a single Redis, then processes of the fleet, its stores and its callers. */
export const allDrills: readonly Drill[] = [
  redisKilled,
  redisEmptied,
  redisRestored,
  redisFrozen,
  repliesLost,
  redisFull,
  nodeKilled,
  everyNodeKilled,
  rollingUpgrade,
  behindNginx,
  redisMasterKilled,
  redisReplicaKilled,
  postgresKilled,
  clusterFailover,
  slotsMoved,
  scriptsFlushed,
  postgresStopped,
  postgresFrozen,
  connectionCut,
  poisonedOutbox,
  limitsFlapping,
  subjectLimitsFlapping,
  settlingNodeKilled,
  leaseHolderFrozen,
  queueNodeKilled,
  queueRedisFrozen,
  queueRedisEmptied,
  queueFailover,
  queueLimitsChanged,
  queueFairness,
  queuePromises,
  hostileRequests,
  slowClients,
  readFloods,
  forgedCallers,
  bots,
];
