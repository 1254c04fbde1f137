import { createMailbox, type Mailbox } from './auth/mailbox';
import { createSendCode } from './auth/send-code';
import { createSignInCodes } from './auth/sign-in-codes';
import { createSignInDemo } from './auth/sign-in-demo';
import { createSmtpMailer } from './auth/smtp-mailer';
import { createVerifyCode } from './auth/verify-code';
import { createDatabase, type Database } from './db/client';
import { describeUnreachable } from './db/describe-unreachable';
import { migrateDatabase } from './db/migrate';
import { sharedSecret } from './db/shared-secret';
import { createCrowd } from './demo/crowd';
import { createRounds } from './demo/rounds';
import { seedDemo } from './demo/seed';
import type { Env } from './env';
import { AppError, StartError } from './errors';
import type { Health } from './http/health';
import type { LiveState } from './http/live-state';
import { createLab } from './lab/lab';
import { createLimiter, type Limiter, policiesOf, withinStoreTimeout } from './limiter';
import { createRateCounter } from './limits/rates';
import { createTuning, hearTuned } from './limits/tuning';
import { globalWindows } from './limits/windows';
import type { Log } from './observability/log';
import type { Metrics } from './observability/metrics';
import { connectDemoProvider } from './orders/demo-provider';
import { UNWRITTEN_BOUND } from './orders/unwritten-bound';
import { connectRedis, type RedisClient } from './redis/client';
import { repeat } from './repeat';
import { type AppRouter, createAppRouter } from './router';
import { type Sale, startSale } from './sale';
import { DECISION_WAIT_MS } from './trpc/deadline';
import type { User } from './trpc/user';

/** One node without its listener: everything that answers calls. */
export interface Node {
  router: AppRouter;
  limiter: Limiter;
  sale: Sale;
  /** In demo mode only. Empty where a mail server takes the codes. */
  mailbox: Mailbox | undefined;
  readLive: () => Promise<LiveState>;
  checks: Record<'redis' | 'postgres' | 'ledger', () => Promise<Health>>;
  /** Of what a node that answers badly does not answer better for being left alone. */
  advice: Record<'auditor', () => Promise<Health>>;
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
  signIn: (user: User) => string;
  /** Hears how long each step of the start took. */
  onStep: (name: string, ms: number) => void;
}

/** Codes that nobody redeemed leave the table this long after they ran out, at most. */
const EXPIRED_CODES_EVERY_MS = 10 * 60 * 1000;

/** Connects, migrates, seeds and starts one node. What it throws says what to do. */
export async function wire({
  env,
  node,
  log,
  metrics,
  loopbackUrl,
  signIn,
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
  const { db } = database;
  if (env.FLOODGATE_DEMO) await step('seed', () => seedDemo(db, { now: Date.now() }));

  metrics.setStoreUp(true);
  redis.decisions.on('ready', () => metrics.setStoreUp(true)).on('close', () => metrics.setStoreUp(false));

  const rates = createRateCounter({ redis: redis.background, node });
  const limiter: Limiter = createLimiter({
    redis: redis.decisions,
    secret: await sharedSecret(db, 'subjects'),
    timeoutMs: DECISION_WAIT_MS,
    nodes: rates.nodes,
    onDecision(outcome) {
      metrics.observeDecision(outcome);
      if (outcome.cause !== undefined) metrics.setStoreUp(false);
      metrics.setBreakerOpen(limiter.breaker() !== 'closed');
      rates.count(outcome);
    },
    onWarning: (message) => log.warn(message),
  });
  const tuning = createTuning({ db, redis: redis.background, limiter, log });
  await step('limits', async () => {
    await tuning.refresh();
    await hearTuned(redis.subscriber, { tuning, log });
  });
  const connectProvider = env.FLOODGATE_DEMO ? connectDemoProvider() : undefined;
  const sale = await step('gates', () => startSale({ db, ...redis, node, metrics, log, connectProvider }));
  const codes = createSignInCodes({ db, secret: await sharedSecret(db, 'sign-in codes') });
  const mailbox = env.FLOODGATE_DEMO ? createMailbox({ redis: redis.background }) : undefined;
  const mailer = env.SMTP_URL
    ? createSmtpMailer({ url: env.SMTP_URL, publicOrigin: env.PUBLIC_ORIGIN, log })
    : mailbox;
  const rounds = createRounds({ db, onOpened: (couponId) => sale.openGate(couponId) });
  const report = (what: string) => (error: unknown) =>
    log.warn({ err: error }, `${what} failed; it goes on trying.`);
  const jobs = [
    repeat(
      async () => {
        await rates.share();
        metrics.setStoreUp(true);
        metrics.setBreakerOpen(limiter.breaker() !== 'closed');
      },
      { everyMs: 500, onFailure: report('Sharing the rates') },
    ),
    repeat(tuning.refresh, { everyMs: 500, onFailure: report('Looking for tuned limits') }),
    repeat(codes.removeExpired, {
      everyMs: EXPIRED_CODES_EVERY_MS,
      onFailure: report('Deleting expired codes'),
    }),
    ...(env.FLOODGATE_DEMO
      ? [repeat(rounds.tick, { everyMs: 1_000, onFailure: report('Opening the next round') })]
      : []),
  ];

  const lab = createLab({ urls: env.REDIS_URL, redis: redis.background, log });

  const router = createAppRouter({
    auth: {
      demo: env.FLOODGATE_DEMO,
      signInDemo: createSignInDemo({ db }),
      sendCode: createSendCode({ codes, mailer }),
      verifyCode: createVerifyCode({ db, codes, adminEmails: env.ADMIN_EMAILS }),
    },
    coupon: { catalog: sale.catalog, desk: sale.desk, purchase: sale.purchase },
    demo: { demo: env.FLOODGATE_DEMO, crowd: createCrowd({ db, baseUrl: loopbackUrl, signIn }) },
    lab,
    limit: { limiter, tuning },
    merchant: { db, couponsOfMerchant: sale.catalog.ofMerchant },
    ops: {
      ...{ whatIf: soon, refusedSubjects: soon, explain: soon, auditTrail: soon },
      ...{ coupons: soon, orders: soon, merchants: soon },
      refundsDue: sale.refundsDue,
      deadLetters: sale.deadLetters,
    },
    order: { shopperOrders: sale.shopperOrders, cancel: sale.cancel, pay: sale.pay },
  });
  const catalogue = policiesOf(router);

  return {
    router,
    limiter,
    sale,
    mailbox,

    async readLive() {
      const [{ windows, serverNow }, totals, stock] = await Promise.all([
        globalWindows({ limiter, catalogue }),
        withinStoreTimeout(rates.read(catalogue), 250),
        sale.stock(),
      ]);
      return { serverNow, windows, rates: totals, stock };
    },

    checks: {
      async redis() {
        const found = await answers(() => withinStoreTimeout(redis.decisions.ping(), 250))();
        const breaker = limiter.breaker();
        return breaker === 'closed'
          ? found
          : { ...found, detail: `${found.detail}; the breaker is ${breaker}, calls do not wait for it` };
      },
      postgres: answers(() => database.ping()),
      async ledger() {
        const lagMs = sale.ledgerLagMs();
        if (lagMs <= UNWRITTEN_BOUND.ageMs) return { ok: true, detail: `${lagMs} ms behind` };
        return { ok: false, detail: `${lagMs} ms behind; nothing is promised until it has caught up` };
      },
    },

    advice: { auditor: sale.auditHealth },

    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
      await lab.stop();
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

async function soon(): Promise<never> {
  throw new AppError('SERVICE_UNAVAILABLE', 'This is being built.');
}
