import type { Mailbox } from '../auth/mailbox';
import { findUserIdByEmail } from '../auth/sign-in-by-code';
import type { Env } from '../env';
import type { NodeStatus } from '../fleet/heartbeat';
import { createReadiness, type Readiness } from '../http/health';
import { createLab } from '../lab/lab';
import { createReadSaleTraffic } from '../lab/sale-traffic';
import { type Limiter, normalizeAddress, normalizeRange, resolvePolicy } from '../limiter/index';
import { listEnforcedLevels } from '../limits/levels';
import { listPolicies } from '../limits/policy-registry';
import { type LiveState, readLiveState } from '../live/live-hub';
import { createMerchantCheck, type MerchantExists } from '../merchants/merchant-check';
import type { Log } from '../observability/log';
import type { Metrics } from '../observability/metrics';
import type { OpsState } from '../ops/ops-hub';
import { policies as declared } from '../policies';
import { type AppRouter, createAppRouter } from '../router';
import { LEDGER_LAG_BOUND, type LedgerLagBound } from '../sale/gate/gate';
import { endTicketsOnClose, startSaleQueue } from '../sale/queue/sale-queue';
import type { Sale } from '../sale/sale';
import type { CheckSession, Conditions, User } from '../trpc/context';
import { connectStores } from './connect-stores';
import { createDemo, createOperators, createSignIn, startSaleSubsystem } from './feature-subsystems';
import { createRedisUpkeep } from './redis-health';
import { startLimits } from './start-limits';
import { createStep, joinSubsystems, mergeChecks, type RunningSubsystems } from './subsystem';

/** A node without its listener and its pages. */
export interface Node extends RunningSubsystems {
  router: AppRouter;
  limiter: Limiter;
  checkSession: CheckSession;
  conditions: Conditions;
  sale: Sale;
  /** In demo mode only. Empty if a mail server delivers the codes. */
  mailbox: Mailbox | undefined;
  readLive: () => Promise<LiveState>;
  merchantExists: MerchantExists;
  /** Reads the state of the fleet for operators. */
  readOps: () => Promise<OpsState>;
  /** Returns the levels of a policy that refuse calls now. */
  listEnforcedLevels: (policy: string) => ReturnType<typeof listEnforcedLevels>;
  /** Counts and logs an error that Redis caused; ignores any other. */
  observeStoreError: (error: unknown) => void;
  /** Sets the number of open live streams. */
  setLiveViewers: (count: number) => void;
  /** Runs the checks of this node's dependencies. */
  readiness: () => Promise<Readiness>;
}

export interface WireOptions {
  env: Env;
  /** The name of this node: unique, and the same across restarts. */
  nodeName: string;
  log: Log;
  metrics: Metrics;
  /** Returns the loopback URL of this node, for the demo's crowd. */
  loopbackUrl: () => string;
  /** Returns a `Cookie` header that signs a user in, for the demo's crowd. */
  createCookieHeader: (user: User) => string;
  /** Maximum lag of the ledger before the gates pause and this node is not ready. Default: `LEDGER_LAG_BOUND`. */
  lagBound?: LedgerLagBound | undefined;
  /** Called with the duration of each step of the start. */
  onStep: (name: string, ms: number) => void;
}

/**
 * Connects, migrates, seeds and creates the subsystems of one node, each from the verbs of those before it. Errors state the
 * fix.
 */
export async function wire(options: WireOptions): Promise<Node> {
  const { env, nodeName, log, metrics, lagBound = LEDGER_LAG_BOUND } = options;
  const step = createStep(options.onStep);
  const policies = listPolicies({ demo: env.FLOODGATE_DEMO });
  const status: NodeStatus = { viewers: 0, failing: [], ledgerLagMs: 0, mismatches: 0 };

  const stores = await connectStores({ env, log, metrics, step });
  const { redis, redisHealth, db, calls } = stores.verbs;
  const { observeStoreError } = redisHealth;
  const limits = await startLimits({
    ...{ redis, redisHealth, db, nodeName, policies, status, log, metrics, step },
  });
  const { limiter, overrides, decisionCounter, heartbeat, arrivals, subjects } = limits.verbs;
  const sale = await step('gates', () =>
    startSaleSubsystem({
      ...{ db, calls, ...redis, nodeName, lagBound, status, log, metrics },
      demo: env.FLOODGATE_DEMO,
      storeNow: heartbeat.storeNow,
    }),
  );
  const {
    couponReader,
    couponCommands,
    purchase,
    shopperOrders,
    ordersToChange,
    cancel,
    pay,
    couldBuy,
    readChangedStock,
  } = sale.verbs;
  const queue = startSaleQueue({
    ...{ limiter, sale: sale.verbs, storeNow: heartbeat.storeNow, metrics, log },
    policy: resolvePolicy(declared.seckill, declared.seckill.name),
  });
  const signIn = await createSignIn({ env, db, redis: redis.background, log });
  const redisUpkeep = createRedisUpkeep({ redis: redis.background, log });
  const demo = createDemo({ ...options, db, ensureGate: sale.verbs.ensureGate });
  const lab = createLab({ urls: env.REDIS_URL, redis: redis.background, log });
  const readiness = createReadiness({ ...mergeChecks([limits, stores, sale, redisUpkeep]), log });
  const ops = await createOperators({
    ...{ env, redis: redis.background, db, limiter, decisionCounter, heartbeat, arrivals, subjects },
    ...{ sale: sale.verbs, readiness, policies, status, log },
  });

  const router = createAppRouter({
    policies,
    auth: signIn.verbs.auth,
    coupon: { couponReader, couponCommands: endTicketsOnClose(couponCommands, queue), purchase },
    demo: demo.verbs,
    lab: { ...lab, readSaleTraffic: createReadSaleTraffic({ arrivals }) },
    limit: {
      ...{ db, limiter, overrides, normalizeAddress, normalizeRange },
      findUserId: (email) => findUserIdByEmail(db, email),
      onDenied: queue.endBanned,
    },
    merchant: { calls, listCouponsOfMerchant: couponReader.listCouponsOfMerchant },
    ops: ops.verbs.ops,
    order: { shopperOrders, ordersToChange, cancel, pay },
    queue,
  });
  const features = [
    { verbs: queue, jobs: queue.jobs, stop: queue.stop },
    ...[redisUpkeep, signIn, demo, { verbs: lab, stop: lab.stop }, ops],
  ];
  const layers = [[stores], [limits], [sale], features];
  const { startJobs, stop } = joinSubsystems(layers, { log, observeStoreError });

  return {
    ...{ router, limiter, sale: sale.verbs, readiness, observeStoreError, startJobs, stop },
    checkSession: signIn.verbs.checkSession,
    mailbox: signIn.verbs.mailbox,
    conditions: { couldBuy },
    merchantExists: createMerchantCheck({ calls }),
    readLive: () =>
      readLiveState({
        ...{ limiter, decisionCounter, policies, readChangedStock, queue },
        readCouponsVersion: couponReader.readVersion,
      }),
    readOps: ops.verbs.readState,
    listEnforcedLevels: (policy) => listEnforcedLevels({ limiter, policies }, policy),
    setLiveViewers(count) {
      status.viewers = count;
    },
  };
}
