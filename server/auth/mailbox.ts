import { z } from 'zod';
import { withinStoreTimeout } from '../limiter';
import type { RedisClient } from '../redis/client';
import { mailboxKey } from '../redis/keys';
import type { Mailer } from './mailer';

/** A code that a demo would have mailed. */
export interface MailboxEntry {
  to: string;
  code: string;
  /** Epoch ms. */
  sentAt: number;
}

/** Where the codes of a demo go instead of a mail server. Anyone may read it: it exists in demo mode only. */
export interface Mailbox extends Mailer {
  /** Newest first. */
  read(): Promise<MailboxEntry[]>;
}

/** A flood of codes drops the oldest ones. */
const CAPACITY = 50;
/** After the last code; each is void long before. */
const LIFETIME_SECONDS = 60 * 60;
const STORE_TIMEOUT_MS = 250;

const entrySchema = z.object({ to: z.string(), code: z.string(), sentAt: z.int() });

/** In Redis, so that a code can be read on another node than the one that made it. */
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
        .expire(mailboxKey, LIFETIME_SECONDS)
        .exec();
      await withinStoreTimeout(written, STORE_TIMEOUT_MS);
    },

    async read() {
      const lines = await withinStoreTimeout(redis.lrange(mailboxKey, 0, CAPACITY - 1), STORE_TIMEOUT_MS);
      return lines.map((line) => entrySchema.parse(JSON.parse(line)));
    },
  };
}
