import { createMailbox, type Mailbox } from '../auth/mailbox';
import type { AuthVerbs } from '../auth/router';
import { createSendCode, createVerifyCode } from '../auth/sign-in-by-code';
import { createSignInCodes } from '../auth/sign-in-codes';
import { createSignInDemo } from '../auth/sign-in-demo';
import { createSmtpMailer } from '../auth/smtp-mailer';
import { createSessionVersions } from '../auth/user-sessions';
import type { Db } from '../db/client';
import { sharedSecret } from '../db/shared-secret';
import type { Env } from '../env';
import type { Log } from '../observability/log';
import type { RedisClient } from '../redis/client';
import type { CheckSession } from '../trpc/context';
import type { Subsystem } from './subsystem';

/** Interval of the sweep of expired codes. */
const EXPIRED_CODES_EVERY_MS = 10 * 60 * 1000;

export interface SignIn {
  auth: AuthVerbs;
  checkSession: CheckSession;
  /** In demo mode only. Empty if a mail server delivers the codes. */
  mailbox: Mailbox | undefined;
}

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
