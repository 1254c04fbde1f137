import { createHmac } from 'node:crypto';
import pRetry, { AbortError } from 'p-retry';
import type { Log } from '../../observability/log';
import type { Alert } from './alert';

export interface WebhookOptions {
  /** Whom to tell. May hold a secret, so it is never logged. */
  url: string;
  /** Signs what is sent; docs/runbook.md says how a receiver checks it. */
  secret: string;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Epoch ms. Default: this node's clock. */
  now?: () => number;
  /** How long the first repetition waits, in ms; each further one twice as long, a minute at most. Default: 1 s. */
  firstWaitMs?: number;
  /** How long one attempt may take, in ms. Default: 5 s. */
  timeoutMs?: number;
}

/** Tells somebody of alerts, in their order, without anybody waiting for it. */
export interface Webhook {
  send(alert: Alert): void;
  /** Ends what is under way; what was not told is logged. */
  stop(): Promise<void>;
}

const RETRIES = 7;
const LONGEST_WAIT_MS = 60_000;
/** Whoever is so far behind hears of the newest. */
const MOST_WAITING = 100;

export function createWebhook({
  url,
  secret,
  log,
  now = Date.now,
  firstWaitMs = 1_000,
  timeoutMs = 5_000,
}: WebhookOptions): Webhook {
  const stopping = new AbortController();
  const waiting: Alert[] = [];
  let sending: Promise<void> | undefined;

  async function attempt(body: string): Promise<void> {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'floodgate-signature': signature({ body, secret, at: Math.floor(now() / 1000) }),
      },
      body,
      // What is signed for one receiver is not handed on to another.
      redirect: 'manual',
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    if (response.ok) return;
    const problem = new Error(`the webhook answered ${response.status}`);
    throw isWorthRepeating(response.status) ? problem : new AbortError(problem);
  }

  async function tell(alert: Alert): Promise<void> {
    const { id, rule } = alert;
    try {
      await pRetry(() => attempt(bodyOf(alert)), {
        retries: RETRIES,
        minTimeout: firstWaitMs,
        maxTimeout: LONGEST_WAIT_MS,
        randomize: true,
        signal: stopping.signal,
        onFailedAttempt: ({ error, retriesLeft }) =>
          log.warn({ err: error, id, rule, retriesLeft }, 'An alert could not be told.'),
      });
    } catch (err) {
      log.error({ err, id, rule }, 'An alert was not told to the webhook.');
    }
  }

  async function sendAll(): Promise<void> {
    for (let alert = waiting.shift(); alert; alert = waiting.shift()) await tell(alert);
    sending = undefined;
  }

  return {
    send(alert) {
      if (stopping.signal.aborted) return;
      waiting.push(alert);
      const left = waiting.length > MOST_WAITING ? waiting.shift() : undefined;
      if (left) log.error({ id: left.id, rule: left.rule }, 'An alert was not told to the webhook.');
      sending ??= sendAll();
    },

    async stop() {
      stopping.abort();
      await sending;
    },
  };
}

/** `t=<epoch seconds>,v1=<HMAC-SHA256 of "t.body", in hexadecimal>`. */
export function signature({ body, secret, at }: { body: string; secret: string; at: number }): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
}

function bodyOf({ id, rule, target, raisedAt, clearedAt, value, threshold, summary }: Alert): string {
  const state = clearedAt === undefined ? 'raised' : 'cleared';
  return JSON.stringify({ id, rule, target, state, at: clearedAt ?? raisedAt, value, threshold, summary });
}

/** Whether the receiver may say otherwise later: it was overloaded, or it failed. */
function isWorthRepeating(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}
