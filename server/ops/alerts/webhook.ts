import { createHmac } from 'node:crypto';
import pRetry, { AbortError } from 'p-retry';
import type { Log } from '../../observability/log';
import type { Alert } from './rules';

export interface WebhookOptions {
  /** URL of the receiver. It may contain a secret, so it is never logged. */
  url: string;
  /** Key of the signature. docs/runbook.md describes the check by a receiver. */
  secret: string;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Epoch ms. Default: this node's clock. */
  now?: () => number;
  /** Wait before the first retry, in ms. It doubles with each retry, up to 1 minute. Default: 1 s. */
  firstWaitMs?: number;
  /** Timeout of one attempt, in ms. Default: 5 s. */
  timeoutMs?: number;
}

/** Delivers alerts to a receiver in their order, in the background. */
export interface Webhook {
  send(alert: Alert): void;
  /** Aborts the current delivery, and logs all alerts that were not delivered. */
  stop(): Promise<void>;
}

const RETRIES = 7;
const MAX_RETRY_WAIT_MS = 60_000;
/** Above this length the queue drops its oldest alert. */
const MAX_QUEUED = 100;

/** Posts each alert as signed JSON, with at most 7 retries. At most 100 alerts are queued, in memory only. */
export function createWebhook({
  url,
  secret,
  log,
  now = Date.now,
  firstWaitMs = 1_000,
  timeoutMs = 5_000,
}: WebhookOptions): Webhook {
  const stopping = new AbortController();
  const queue: Alert[] = [];
  let sending: Promise<void> | undefined;

  async function attempt(body: string): Promise<void> {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'floodgate-signature': signature({ body, secret, at: Math.floor(now() / 1000) }),
      },
      body,
      // A signed body must not follow a redirect to another receiver.
      redirect: 'manual',
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    if (response.ok) return;
    const problem = new Error(`the webhook answered ${response.status}`);
    throw isRetryable(response.status) ? problem : new AbortError(problem);
  }

  async function deliver(alert: Alert): Promise<void> {
    const { id, rule } = alert;
    try {
      await pRetry(() => attempt(bodyOf(alert)), {
        retries: RETRIES,
        minTimeout: firstWaitMs,
        maxTimeout: MAX_RETRY_WAIT_MS,
        randomize: true,
        signal: stopping.signal,
        onFailedAttempt: ({ error, retriesLeft }) =>
          log.warn(
            { err: error, id, rule, retriesLeft },
            'An alert could not be delivered. It will be sent again.',
          ),
      });
    } catch (err) {
      log.error({ err, id, rule }, 'An alert was not delivered to the webhook.');
    }
  }

  async function sendAll(): Promise<void> {
    for (let alert = queue.shift(); alert; alert = queue.shift()) await deliver(alert);
    sending = undefined;
  }

  return {
    send(alert) {
      if (stopping.signal.aborted) return;
      queue.push(alert);
      const dropped = queue.length > MAX_QUEUED ? queue.shift() : undefined;
      if (dropped)
        log.error({ id: dropped.id, rule: dropped.rule }, 'An alert was not delivered to the webhook.');
      sending ??= sendAll();
    },

    async stop() {
      stopping.abort();
      await sending;
    },
  };
}

/** Returns `t=<epoch seconds>,v1=<HMAC-SHA256 of "t.body", in hexadecimal>`. */
export function signature({ body, secret, at }: { body: string; secret: string; at: number }): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
}

function bodyOf({ id, rule, target, raisedAt, clearedAt, value, threshold, summary }: Alert): string {
  const state = clearedAt === undefined ? 'raised' : 'cleared';
  return JSON.stringify({ id, rule, target, state, at: clearedAt ?? raisedAt, value, threshold, summary });
}

/** Returns true if a retry may succeed: the receiver was overloaded or failed. */
function isRetryable(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}
