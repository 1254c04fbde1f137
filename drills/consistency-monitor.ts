import { setTimeout as sleep } from 'node:timers/promises';
import { TRPCClientError } from '@trpc/client';
import type { AppRouter } from '../server/router';
import { createNodeClient } from './node-clients';
import type { CrowdRecord } from './shoppers';

/** Polls the sale page, wallets and `/readyz` of every node, and collects inconsistent answers. */
export interface ConsistencyMonitor {
  /** The distinct inconsistent answers. */
  mismatches: string[];
  /** The number of finished rounds of checks. */
  rounds(): number;
  /** Runs `work` while a store is down, and checks that `/readyz` reports the outage. */
  duringOutage<Result>(of: 'redis' | 'postgres', work: () => Promise<Result>): Promise<Result>;
  stop(): Promise<void>;
}

export interface ConsistencyMonitorOptions {
  urls: readonly string[];
  couponId: string;
  total: number;
  record: CrowdRecord;
  cookieOf: (userId: string) => string;
}

const CHECK_EVERY_MS = 300;
/** A page may lag by 250 ms, and an answer takes longer on a busy machine. */
const SHOWN_LATE_MS = 2_000;
/** The maximum delay of `/readyz`, which checks its stores every 500 ms. */
const NOTICED_AFTER_MS = 3_000;
const ANSWER_WITHIN_MS = 5_000;

export function startConsistencyMonitor({
  urls,
  couponId,
  total,
  record,
  cookieOf,
}: ConsistencyMonitorOptions): ConsistencyMonitor {
  const mismatches = new Set<string>();
  let stopped = false;
  let rounds = 0;
  let down: { of: 'redis' | 'postgres'; since: number; denials: number } | undefined;

  async function checkPage(client: ReturnType<typeof createNodeClient>, url: string): Promise<void> {
    const before = Date.now() - SHOWN_LATE_MS;
    const confirmed = [...record.confirmations.values()].filter(({ seenAt }) => seenAt < before).length;
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const { coupon } = await client.calls.coupon.byId.query({ id: couponId }, { signal });
    const left = coupon.stock?.remaining ?? -1;
    if (left < 0) mismatches.add(`the page of ${url} shows ${left} left`);
    if (left > total - confirmed) {
      mismatches.add(`the page of ${url} shows ${left} left of ${total} when ${confirmed} are confirmed`);
    }
  }

  async function checkWallet(client: ReturnType<typeof createNodeClient>): Promise<void> {
    const known = [...record.confirmations];
    const [id, owner] = known[Math.floor(Math.random() * known.length)] ?? [];
    if (id === undefined || !owner) return;
    const context = { cookie: cookieOf(owner.userId) };
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const { orders } = await client.calls.order.list.query({}, { context, signal });
    const shown = orders.find((order) => order.id === id);
    if (shown?.status !== 'confirmed') {
      mismatches.add(`a wallet shows a confirmed order as ${shown?.status ?? 'missing'}`);
    }
  }

  async function checkReadiness(url: string): Promise<void> {
    const outage = down;
    const sinceMs = outage ? Date.now() - outage.since : 0;
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const { ready, dependencies }: ReadinessShown = await answer.json();
    if ((answer.status === 200) !== ready)
      mismatches.add(`/readyz answers ${answer.status} with ready: ${ready}`);
    // The answer is conclusive only if the outage lasted from before the request until after the answer.
    if (!outage || down !== outage) return;
    const isReported = dependencies[outage.of]?.ok === false;
    if (isReported) outage.denials += 1;
    else if (sinceMs > NOTICED_AFTER_MS)
      mismatches.add(`/readyz of ${url} reports ${outage.of} as ok, ${sinceMs} ms into its outage`);
  }

  /** Records an unexpected error. A node that does not answer is not inconsistent. */
  function recordFailure(error: unknown, url: string): void {
    if (error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError')) return;
    if (!(error instanceof TRPCClientError)) throw error;
    const { data }: TRPCClientError<AppRouter> = error;
    if (data && data.code !== 'SERVICE_UNAVAILABLE')
      mismatches.add(`${url} answers ${data.path} with ${data.code}`);
  }

  async function watch(url: string): Promise<void> {
    const client = createNodeClient(url);
    while (!stopped) {
      const answers = await Promise.allSettled([
        checkPage(client, url),
        checkWallet(client),
        checkReadiness(url),
      ]);
      for (const answer of answers) if (answer.status === 'rejected') recordFailure(answer.reason, url);
      rounds += 1;
      await sleep(CHECK_EVERY_MS);
    }
  }

  const watches = urls.map(watch);
  return {
    get mismatches() {
      return [...mismatches];
    },
    rounds: () => rounds,
    async duringOutage(of, work) {
      const outage = { of, since: Date.now(), denials: 0 };
      down = outage;
      try {
        return await work();
      } finally {
        // The store may be up again from here on.
        down = undefined;
        const lastedMs = Date.now() - outage.since;
        if (outage.denials === 0 && lastedMs > 2 * NOTICED_AFTER_MS) {
          mismatches.add(`no /readyz reported in ${lastedMs} ms that ${of} was down`);
        }
      }
    },
    async stop() {
      stopped = true;
      await Promise.all(watches);
    },
  };
}

interface ReadinessShown {
  ready: boolean;
  dependencies: Record<string, { ok: boolean; detail: string } | undefined>;
}
