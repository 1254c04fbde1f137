import { createMailbox, type Mailbox } from '../auth/mailbox';
import type { AuthVerbs } from '../auth/router';
import { createSendCode, createVerifyCode } from '../auth/sign-in-by-code';
import { createSignInCodes } from '../auth/sign-in-codes';
import { createSignInDemo } from '../auth/sign-in-demo';
import { createSmtpMailer } from '../auth/smtp-mailer';
import { createSessionVersions } from '../auth/user-sessions';
import type { Db } from '../db/client';
import { sharedSecret } from '../db/shared-secret';
import { createRounds } from '../demo/rounds';
import type { DemoVerbs } from '../demo/router';
import { createSendCrowd } from '../demo/send-crowd';
import type { Env } from '../env';
import { isSlow, listFailing } from '../finding';
import type { NodeStatus } from '../fleet/heartbeat';
import type { Readiness } from '../http/health';
import type { Log } from '../observability/log';
import type { Metrics } from '../observability/metrics';
import { createOps, type OpsOptions } from '../ops/ops';
import type { OpsState } from '../ops/ops-hub';
import type { OpsVerbs } from '../ops/router';
import type { RedisClient } from '../redis/client';
import { createDemoProvider } from '../sale/orders/payment-provider';
import { type Sale, type SaleOptions, startSale } from '../sale/sale';
import type { CheckSession, User } from '../trpc/context';
import type { Subsystem } from './subsystem';

interface SaleSubsystemOptions extends Omit<SaleOptions, 'connectProvider'> {
  /** True in demo mode, which has its own payment provider. */
  demo: boolean;
  /** Receives the lag of the ledger and the number of sales with a mismatch. */
  status: Pick<NodeStatus, 'ledgerLagMs' | 'mismatches'>;
}

/** Connects the sale, and opens its gates. */
export async function startSaleSubsystem({
  demo,
  lagBound,
  metrics,
  status,
  ...options
}: SaleSubsystemOptions): Promise<Subsystem<Sale>> {
  const saleMetrics: Metrics = {
    ...metrics,
    setAuditorMismatches(count) {
      status.mismatches = count;
      metrics.setAuditorMismatches(count);
    },
    setLedgerLag(lagMs) {
      status.ledgerLagMs = lagMs;
      metrics.setLedgerLag(lagMs);
    },
  };
  const connectProvider = demo ? createDemoProvider() : undefined;
  const sale = await startSale({ ...options, lagBound, connectProvider, metrics: saleMetrics });
  return {
    verbs: sale,
    checks: {
      async ledger() {
        const lagMs = sale.ledgerLagMs();
        const values = { lagMs };
        if (lagMs <= lagBound.ageMs)
          return { ok: true, detail: `${lagMs} ms behind`, findings: [{ code: 'lag', values }] };
        return {
          ok: false,
          detail: `${lagMs} ms behind; sales are paused until it has caught up`,
          findings: [{ code: 'lag-too-long', values }],
        };
      },
    },
    warnings: { auditor: sale.checkAudit },
    jobs: sale.jobs,
    stop: sale.stop,
  };
}

export interface SignIn {
  auth: AuthVerbs;
  checkSession: CheckSession;
  /** In demo mode only. Empty if a mail server delivers the codes. */
  mailbox: Mailbox | undefined;
}

/** Interval of the sweep of expired codes. */
const EXPIRED_CODES_EVERY_MS = 10 * 60 * 1000;

/** Creates sign-in by codes and in demos, and the check of sessions. */
export async function createSignIn({
  env,
  db,
  redis,
  log,
}: {
  env: Env;
  db: Db;
  redis: RedisClient;
  log: Log;
}): Promise<Subsystem<SignIn>> {
  const sessionVersions = createSessionVersions({ db });
  const codes = createSignInCodes({ db, secret: await sharedSecret(db, 'sign-in codes') });
  const mailbox = env.FLOODGATE_DEMO ? createMailbox({ redis }) : undefined;
  const mailer = env.SMTP_URL
    ? createSmtpMailer({ url: env.SMTP_URL, publicOrigin: env.PUBLIC_ORIGIN, log })
    : mailbox;
  return {
    verbs: {
      auth: {
        demo: env.FLOODGATE_DEMO,
        signInDemo: createSignInDemo({ db }),
        sendCode: createSendCode({ codes, mailer }),
        verifyCode: createVerifyCode({ db, codes, adminEmails: env.ADMIN_EMAILS }),
        revokeSession: sessionVersions.revoke,
      },
      checkSession: sessionVersions.check,
      mailbox,
    },
    jobs: [{ name: 'Deleting expired codes', run: codes.sweepExpired, everyMs: EXPIRED_CODES_EVERY_MS }],
  };
}

/** Creates the crowd and the rounds of a demo. Outside demo mode the crowd has no procedure, and no round opens. */
export function createDemo({
  env,
  db,
  loopbackUrl,
  createCookieHeader,
  ensureGate,
}: {
  env: Env;
  db: Db;
  loopbackUrl: () => string;
  createCookieHeader: (user: User) => string;
  ensureGate: (couponId: string) => Promise<boolean>;
}): Subsystem<DemoVerbs> {
  const rounds = createRounds({ db, onOpened: ensureGate });
  return {
    verbs: {
      demo: env.FLOODGATE_DEMO,
      sendCrowd: createSendCrowd({ db, baseUrl: loopbackUrl, createCookieHeader }),
    },
    jobs: env.FLOODGATE_DEMO
      ? [{ name: 'Opening the next round', run: rounds.openNextRounds, everyMs: 1_000 }]
      : [],
  };
}

interface OperatorsOptions extends Omit<OpsOptions, 'urls' | 'health' | 'webhook'> {
  env: Env;
  readiness: () => Promise<Readiness>;
  /** Receives the names of the failing and of the slow dependencies, every second. */
  status: Pick<NodeStatus, 'failing' | 'slow'>;
}

interface Operators {
  ops: OpsVerbs;
  readState: () => Promise<OpsState>;
}

/** Creates the operator features, and evaluates the alert rules every second. */
export async function createOperators({
  env,
  readiness,
  status,
  ...options
}: OperatorsOptions): Promise<Subsystem<Operators>> {
  const { ALERT_WEBHOOK_URL: url } = env;
  const ops = createOps({
    ...options,
    urls: env.REDIS_URL,
    health: async () => (await readiness()).dependencies,
    webhook: url ? { url, secret: await sharedSecret(options.db, 'alerts') } : undefined,
  });

  async function evaluateAlerts(): Promise<void> {
    const { dependencies } = await readiness();
    status.failing = listFailing(dependencies);
    status.slow = status.failing.filter((name) => dependencies[name] && isSlow(dependencies[name]));
    await ops.evaluateAlerts();
  }

  return {
    verbs: { ops: ops.verbs, readState: ops.readState },
    jobs: [{ name: 'Evaluating the alert rules', run: evaluateAlerts, everyMs: 1_000 }],
    stop: ops.stop,
  };
}
