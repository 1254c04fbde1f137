import { setTimeout as sleep } from 'node:timers/promises';
import { TRPCClientError } from '@trpc/client';
import type { AppRouter } from '../server/router';
import { createNodeClient } from './node-clients';
import type { Told } from './shoppers';

/** Looks at the sale page, at wallets and at `/readyz` of every node all along, and remembers what was not true. */
export interface Witness {
  /** What was not true, each once. */
  lies: string[];
  /** How often it looked. */
  looks(): number;
  /** The store is away while this work is done: `/readyz` has to say so. */
  outage<Result>(of: 'redis' | 'postgres', work: () => Promise<Result>): Promise<Result>;
  stop(): Promise<void>;
}

export interface WitnessOptions {
  urls: readonly string[];
  couponId: string;
  total: number;
  told: Told;
  cookieOf: (userId: string) => string;
}

const LOOK_EVERY_MS = 300;
/** What is shown may be a quarter of a second old, and an answer may be a while on its way on a busy machine. */
const SHOWN_LATE_MS = 2_000;
/** So long `/readyz` may take to notice that a store is away: it asks anew every half second. */
const NOTICED_AFTER_MS = 3_000;
const ANSWER_WITHIN_MS = 5_000;

export function startWitness({ urls, couponId, total, told, cookieOf }: WitnessOptions): Witness {
  const lies = new Set<string>();
  let stopped = false;
  let looks = 0;
  let down: { of: 'redis' | 'postgres'; since: number; denials: number } | undefined;

  async function lookAtPage(client: ReturnType<typeof createNodeClient>, url: string): Promise<void> {
    const before = Date.now() - SHOWN_LATE_MS;
    const confirmed = [...told.confirmations.values()].filter(({ heardAt }) => heardAt < before).length;
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const { coupon } = await client.calls.coupon.byId.query({ id: couponId }, { signal });
    const left = coupon.stock?.remaining ?? -1;
    if (left < 0) lies.add(`the page of ${url} shows ${left} left`);
    if (left > total - confirmed) {
      lies.add(`the page of ${url} shows ${left} left of ${total} when ${confirmed} are confirmed`);
    }
  }

  async function lookIntoWallet(client: ReturnType<typeof createNodeClient>): Promise<void> {
    const known = [...told.confirmations];
    const [id, owner] = known[Math.floor(Math.random() * known.length)] ?? [];
    if (id === undefined || !owner) return;
    const context = { cookie: cookieOf(owner.userId) };
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const { orders } = await client.calls.order.list.query({}, { context, signal });
    const shown = orders.find((order) => order.id === id);
    if (shown?.status !== 'confirmed') {
      lies.add(`a wallet shows a confirmed order as ${shown?.status ?? 'missing'}`);
    }
  }

  async function lookAtReadiness(url: string): Promise<void> {
    const outage = down;
    const sinceMs = outage ? Date.now() - outage.since : 0;
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const { ready, dependencies } = readinessOf(await answer.json());
    if ((answer.status === 200) !== ready)
      lies.add(`/readyz answers ${answer.status} and says ready: ${ready}`);
    // Only of an outage that lasted from before the question until after the answer can it be told what is true.
    if (!outage || down !== outage) return;
    const isToldOf = dependencies[outage.of]?.ok === false;
    if (isToldOf) outage.denials += 1;
    else if (sinceMs > NOTICED_AFTER_MS)
      lies.add(`/readyz of ${url} calls ${outage.of} well, ${sinceMs} ms after it went`);
  }

  /** A node that is dead or cannot answer tells nothing, which is no lie. */
  function hearFailure(error: unknown, url: string): void {
    if (error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError')) return;
    if (!(error instanceof TRPCClientError)) throw error;
    const { data }: TRPCClientError<AppRouter> = error;
    if (data && data.code !== 'SERVICE_UNAVAILABLE')
      lies.add(`${url} answers ${data.path} with ${data.code}`);
  }

  async function watch(url: string): Promise<void> {
    const client = createNodeClient(url);
    while (!stopped) {
      const answers = await Promise.allSettled([
        lookAtPage(client, url),
        lookIntoWallet(client),
        lookAtReadiness(url),
      ]);
      for (const answer of answers) if (answer.status === 'rejected') hearFailure(answer.reason, url);
      looks += 1;
      await sleep(LOOK_EVERY_MS);
    }
  }

  const watches = urls.map(watch);
  return {
    get lies() {
      return [...lies];
    },
    looks: () => looks,
    async outage(of, work) {
      const outage = { of, since: Date.now(), denials: 0 };
      down = outage;
      try {
        return await work();
      } finally {
        // From here on the store may be back.
        down = undefined;
        const lastedMs = Date.now() - outage.since;
        if (outage.denials === 0 && lastedMs > 2 * NOTICED_AFTER_MS) {
          lies.add(`no /readyz told in ${lastedMs} ms that ${of} was away`);
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

function readinessOf(body: ReadinessShown): ReadinessShown {
  return body;
}
