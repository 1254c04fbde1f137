import { createMailbox, type Mailbox } from '../auth/mailbox';
import { createSendCode } from '../auth/send-code';
import { createSessionVersions } from '../auth/session-versions';
import { createSignInCodes } from '../auth/sign-in-codes';
import { createSignInDemo } from '../auth/sign-in-demo';
import { createSmtpMailer } from '../auth/smtp-mailer';
import { createVerifyCode } from '../auth/verify-code';
import { createDatabase, type Database } from '../db/client';
import { describeUnreachable } from '../db/describe-unreachable';
import { migrateDatabase } from '../db/migrate';
import { sharedSecret } from '../db/shared-secret';
import { createCrowd } from '../demo/crowd';
import { createRounds } from '../demo/rounds';
import { seedDemo } from '../demo/seed';
import type { Env } from '../env';
import { StartError } from '../errors';
import { createArrivals } from '../fleet/arrivals';
import { createRateCounter } from '../fleet/rates';
import { createSubjectStats } from '../fleet/subject-stats';
import { normalizeAddress } from '../http/client-address';
import { createReadiness, type Health } from '../http/health';
import { repeat } from '../job';
import { createLab } from '../lab/lab';
import { createReadSaleTraffic } from '../lab/sale-traffic';
import {
  createFunctionLibraries,
  createLimiter,
  type Limiter,
  policiesOf,
  withinStoreTimeout,
} from '../limiter';
import { createOverrides, subscribeOverrides } from '../limits/overrides';
import { peekGlobalWindows } from '../limits/windows';
import type { LiveState } from '../live/live-state';
import type { OpsState } from '../live/ops-state';
import type { Log } from '../observability/log';
import type { Metrics } from '../observability/metrics';
import { createOps } from '../ops/ops';
import { connectRedis, type RedisClient } from '../redis/client';
import { createClockCheck } from '../redis/clock-check';
import { createSettingsCheck } from '../redis/settings-check';
import { type AppRouter, createAppRouter } from '../router';
import { UNWRITTEN_BOUND, type UnwrittenBound } from '../sale/ledger/unwritten-bound';
import { connectDemoProvider } from '../sale/orders/demo-provider';
import { type Sale, startSale } from '../sale/sale';
import type { Conditions } from '../trpc/context';
import { DECISION_WAIT_MS } from '../trpc/deadline';
import type { CheckSession, User } from '../trpc/user';
import { loadAllScripts } from './load-scripts';
import { createRedisHealth } from './redis-health';

/** One node without its listener: everything that answers calls. */
export interface Node {
  router: AppRouter;
  limiter: Limiter;
  checkSession: CheckSession;
  conditions: Conditions;
  sale: Sale;
  /** In demo mode only. Empty where a mail server takes the codes. */
  mailbox: Mailbox | undefined;
  readLive: () => Promise<LiveState>;
  /** The fleet as its operators see it. */
  readOps: () => Promise<OpsState>;
  /** Counts and logs an error that Redis caused; ignores any other. */
  observeStoreError: (error: unknown) => void;
  /** Hears how many live streams are open. */
  setLiveViewers: (count: number) => void;
  checks: Record<'redis' | 'postgres' | 'ledger', () => Promise<Health>>;
  /** Checks that `/readyz` lists without a change of readiness, because all nodes share the problem. */
  warnings: Record<'auditor' | 'redisSettings' | 'redisErrors' | 'redisClock', () => Promise<Health>>;
  stop(): Promise<void>;
}

export interface WireOptions {
  env: Env;
  /** This node's name: no other's, and the same across its restarts. */
  node: string;
  log: Log;
  metrics: Metrics;
  /** Where this node answers on loopback, for the demo's crowd. */
  loopbackUrl: () => string;
  /** A `Cookie` header that signs this user in, for the demo's crowd. */
  createCookieHeader: (user: User) => string;
  /** How far the ledger may be behind before the gates pause and this node is not ready. */
  unwritten?: UnwrittenBound | undefined;
  /** Hears how long each step of the start took. */
  onStep: (name: string, ms: number) => void;
}

/** Interval of the settings check, short enough for an operator who has just changed a setting. */
const SETTINGS_EVERY_MS = 60_000;
/** A library that was not reported for a day is deleted. */
const LIBRARIES_EVERY_MS = 60 * 60 * 1000;
/** Interval of the sweep of expired codes. */
const EXPIRED_CODES_EVERY_MS = 10 * 60 * 1000;

/** Connects, migrates, seeds and starts one node. What it throws says what to do. */
export async function wire({
  env,
  node,
  log,
  metrics,
  loopbackUrl,
  createCookieHeader,
  unwritten = UNWRITTEN_BOUND,
  onStep,
}: WireOptions): Promise<Node> {
  const step = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const started = performance.now();
    const result = await work();
    onStep(name, Math.round(performance.now() - started));
    return result;
  };

  const redis = await connectAll(env, log);
  const database = createDatabase({ url: env.DATABASE_URL, pglite: env.FLOODGATE_PGLITE, log });
  await step('migrate', () => migrate(database, env));
  const { db, calls } = database;
  if (env.FLOODGATE_DEMO) await step('seed', () => seedDemo(db, { now: Date.now() }));

  const redisHealth = createRedisHealth({ redis: redis.decisions, log, metrics });

  metrics.setStoreUp(true);
  redis.decisions.on('ready', () => metrics.setStoreUp(true)).on('close', () => metrics.setStoreUp(false));

  let liveViewers = 0;
  let mismatches = 0;
  let found: OpsState['health'] = {};
  const rates = createRateCounter({
    redis: redis.background,
    node,
    status: () => ({
      viewers: liveViewers,
      failing: Object.keys(found).filter((name) => !found[name]?.ok),
      ledgerLagMs: sale.ledgerLagMs(),
      mismatches,
    }),
  });
  const { storeNow } = rates;
  const arrivals = createArrivals({ redis: redis.background, node, storeNow });
  const subjects = createSubjectStats({ redis: redis.background, node, storeNow });
  const limiter: Limiter = createLimiter({
    redis: redis.decisions,
    secret: await sharedSecret(db, 'subjects'),
    timeoutMs: DECISION_WAIT_MS,
    nodes: rates.nodes,
    onDecision(outcome) {
      metrics.observeDecision(outcome);
      if (outcome.cause !== undefined) {
        metrics.setStoreUp(false);
        redisHealth.observeStoreError(outcome.cause);
      }
      metrics.setBreakerOpen(limiter.breakerState() !== 'closed');
      rates.count(outcome);
      arrivals.capture(outcome);
      subjects.count(outcome);
    },
    onWarning: (message) => log.warn(message),
  });
  await step('scripts', () => loadAllScripts({ redis: redis.decisions, limiter, log }));
  const overrides = createOverrides({ db, redis: redis.background, limiter, log });
  await step('limits', async () => {
    await overrides.refreshOverrides();
    await subscribeOverrides(redis.subscriber, { overrides, log });
  });
  const connectProvider = env.FLOODGATE_DEMO ? connectDemoProvider() : undefined;
  const saleMetrics: Metrics = {
    ...metrics,
    setAuditorMismatches(count) {
      mismatches = count;
      metrics.setAuditorMismatches(count);
    },
  };
  const sale = await step('gates', () =>
    startSale({
      ...{ db, calls, ...redis, node, unwritten, log, connectProvider },
      storeClock: storeNow,
      metrics: saleMetrics,
      onJobFailed: redisHealth.observeStoreError,
    }),
  );
  const sessionVersions = createSessionVersions({ db });
  const codes = createSignInCodes({ db, secret: await sharedSecret(db, 'sign-in codes') });
  const mailbox = env.FLOODGATE_DEMO ? createMailbox({ redis: redis.background }) : undefined;
  const mailer = env.SMTP_URL
    ? createSmtpMailer({ url: env.SMTP_URL, publicOrigin: env.PUBLIC_ORIGIN, log })
    : mailbox;
  const settingsCheck = createSettingsCheck({ redis: redis.background, log });
  const clockCheck = createClockCheck({ redis: redis.background, log });
  const rounds = createRounds({ db, onOpened: (couponId) => sale.openGate(couponId) });
  const libraries = createFunctionLibraries({ redis: redis.background });
  const report = (what: string) => (error: unknown) => {
    redisHealth.observeStoreError(error);
    log.warn({ err: error }, `${what} failed. The job goes on.`);
  };
  const jobs = [
    repeat(
      async () => {
        await rates.sendHeartbeat();
        metrics.setStoreUp(true);
        metrics.setBreakerOpen(limiter.breakerState() !== 'closed');
      },
      { everyMs: 500, onFailure: report('Sending the heartbeat') },
    ),
    repeat(arrivals.flushArrivals, { everyMs: 500, onFailure: report('Sending the arrivals') }),
    repeat(subjects.publishStats, { everyMs: 1_000, onFailure: report('Publishing the subject statistics') }),
    repeat(overrides.refreshOverrides, { everyMs: 500, onFailure: report('Reading changed limits') }),
    repeat(clockCheck.checkClocks, { everyMs: 1_000, onFailure: report("Reading Redis's clock") }),
    repeat(settingsCheck.checkSettings, {
      everyMs: SETTINGS_EVERY_MS,
      onFailure: report("Checking Redis's settings"),
    }),
    repeat(
      async () => {
        const deleted = await libraries.deleteUnused();
        if (deleted.length > 0) log.info({ libraries: deleted }, 'Unused function libraries were deleted.');
      },
      { everyMs: LIBRARIES_EVERY_MS, onFailure: report('Deleting unused function libraries') },
    ),
    repeat(codes.sweepExpired, {
      everyMs: EXPIRED_CODES_EVERY_MS,
      onFailure: report('Deleting expired codes'),
    }),
    ...(env.FLOODGATE_DEMO
      ? [repeat(rounds.openNextRounds, { everyMs: 1_000, onFailure: report('Opening the next round') })]
      : []),
  ];

  const lab = createLab({ urls: env.REDIS_URL, redis: redis.background, log });
  const checks: Node['checks'] = {
    redis: () => redisHealth.check(limiter),
    postgres: answers(() => database.ping()),
    async ledger() {
      const lagMs = sale.ledgerLagMs();
      if (lagMs <= unwritten.ageMs) return { ok: true, detail: `${lagMs} ms behind` };
      return { ok: false, detail: `${lagMs} ms behind; nothing is promised until it has caught up` };
    },
  };
  const warnings: Node['warnings'] = {
    auditor: sale.auditHealth,
    redisSettings: settingsCheck.health,
    redisErrors: redisHealth.errorHealth,
    redisClock: clockCheck.health,
  };
  const readiness = createReadiness({ checks, warnings, log });
  const ops = createOps({
    ...{ urls: env.REDIS_URL, redis: redis.background, db },
    ...{ limiter, rates, arrivals, subjects, sale, log },
    health: async () => (await readiness()).dependencies,
    webhook: env.ALERT_WEBHOOK_URL
      ? { url: env.ALERT_WEBHOOK_URL, secret: await sharedSecret(db, 'alerts') }
      : undefined,
  });

  const router = createAppRouter({
    auth: {
      demo: env.FLOODGATE_DEMO,
      signInDemo: createSignInDemo({ db }),
      sendCode: createSendCode({ codes, mailer }),
      verifyCode: createVerifyCode({ db, codes, adminEmails: env.ADMIN_EMAILS }),
      revokeSession: sessionVersions.revoke,
    },
    coupon: { catalog: sale.catalog, desk: sale.desk, purchase: sale.purchase },
    demo: { demo: env.FLOODGATE_DEMO, crowd: createCrowd({ db, baseUrl: loopbackUrl, createCookieHeader }) },
    lab: { ...lab, arrivals: createReadSaleTraffic({ arrivals }) },
    limit: { db, limiter, overrides, normalizeAddress },
    merchant: { calls, couponsOfMerchant: sale.catalog.ofMerchant },
    ops: ops.verbs,
    order: { shopperOrders: sale.shopperOrders, cancel: sale.cancel, pay: sale.pay },
  });
  const policies = policiesOf(router);
  jobs.push(
    repeat(
      async () => {
        found = (await readiness()).dependencies;
        await ops.evaluateAlerts(policies);
      },
      { everyMs: 1_000, onFailure: report('Evaluating the alert rules') },
    ),
  );

  return {
    router,
    limiter,
    checkSession: sessionVersions.check,
    conditions: { couldBuy: sale.couldBuy },
    sale,
    mailbox,

    async readLive() {
      const [{ windows, serverNow }, totals, stock] = await Promise.all([
        peekGlobalWindows({ limiter, policies }),
        withinStoreTimeout(rates.readRates(policies), 250),
        sale.stock(),
      ]);
      return { serverNow, windows, rates: totals, stock };
    },

    async readOps() {
      return ops.readState(policies);
    },

    setLiveViewers(count) {
      liveViewers = count;
    },

    observeStoreError: redisHealth.observeStoreError,

    checks,
    warnings,

    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
      await Promise.all([lab.stop(), ops.stop()]);
      await sale.stop();
      for (const client of Object.values(redis)) client.disconnect();
      await database.close();
    },
  };
}

async function connectAll(
  env: Env,
  log: Log,
): Promise<Record<'decisions' | 'background' | 'subscriber', RedisClient>> {
  const connect = (purpose: string) =>
    connectRedis(env.REDIS_URL, (error) => log.debug({ err: error, purpose }, 'Redis cannot be reached.'));
  const [decisions, background, subscriber] = await Promise.all([
    connect('decisions'),
    connect('background'),
    connect('subscriber'),
  ]);
  return { decisions, background, subscriber };
}

async function migrate(database: Database, env: Env): Promise<void> {
  try {
    await database.ping();
  } catch (cause) {
    throw new StartError(describeUnreachable(env.DATABASE_URL, cause), { cause });
  }
  await migrateDatabase(database);
}

/** Why it does not answer is for the log: the page that shows this is public. */
function answers(ask: () => Promise<unknown>): () => Promise<Health> {
  return () =>
    ask().then(
      () => ({ ok: true, detail: 'answers' }),
      () => ({ ok: false, detail: 'does not answer' }),
    );
}
