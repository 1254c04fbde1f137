import { z } from 'zod';
import { withinStoreTimeout } from '../limiter/index';
import type { RedisClient } from '../redis/client';
import { mailboxKey } from '../redis/keys';
import type { Mailer } from './code-mail';

/** A code in the mailbox of a demo. */
export interface MailboxEntry {
  to: string;
  code: string;
  /** Epoch ms. */
  sentAt: number;
}

/** The mailbox that replaces a mail server in demo mode. Anyone may read it. */
export interface Mailbox extends Mailer {
  /** Reads all entries, newest first. */
  read(): Promise<MailboxEntry[]>;
}

/** Maximum number of entries. Newer codes replace the oldest ones. */
const CAPACITY = 50;
/** Lifetime of the mailbox after the last code. The codes expire earlier. */
const LIFETIME_MS = 60 * 60 * 1000;
const STORE_TIMEOUT_MS = 250;

const entrySchema = z.object({ to: z.string(), code: z.string(), sentAt: z.int() });

/** Creates the mailbox in Redis, so that all nodes can read all codes. */
export function createMailbox({
  redis,
  now = Date.now,
}: {
  redis: RedisClient;
  now?: () => number;
}): Mailbox {
  return {
    async send({ to, code }) {
      const entry: MailboxEntry = { to, code, sentAt: now() };
      const written = redis
        .multi()
        .lpush(mailboxKey, JSON.stringify(entry))
        .ltrim(mailboxKey, 0, CAPACITY - 1)
        .pexpire(mailboxKey, LIFETIME_MS)
        .exec();
      await withinStoreTimeout(written, STORE_TIMEOUT_MS);
    },

    async read() {
      const lines = await withinStoreTimeout(redis.lrange(mailboxKey, 0, CAPACITY - 1), STORE_TIMEOUT_MS);
      return lines.map((line) => entrySchema.parse(JSON.parse(line)));
    },
  };
}
