import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { TRPCClientError } from '@trpc/client';
import { ignoreAbort } from './ignore-abort';
import { createNodeClient, type NodeClient } from './node-clients';
import { type Refusal, refusalIn } from './refusal';

/** One signed-in account on one node. */
export interface Account {
  node: NodeClient;
  cookie: string;
}

/** The answer to one call of `coupon.seckill`. */
export type SeckillAnswer =
  | { kind: 'order'; orderId: string; isNew: boolean }
  | ({ kind: 'refused' } & Refusal)
  | { kind: 'other' };

/** Calls `coupon.seckill` with a new request id, as one click does. */
export async function clickSeckill({ node, cookie }: Account, couponId: string): Promise<SeckillAnswer> {
  const input = { couponId, requestId: randomUUID() };
  try {
    const reply = await node.calls.coupon.seckill.mutate(input, { context: { cookie } });
    if (!('order' in reply)) return { kind: 'other' };
    return { kind: 'order', orderId: reply.order.id, isNew: reply.outcome === 'accepted' };
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    const refusal = refusalIn(error);
    return refusal ? { kind: 'refused', ...refusal } : { kind: 'other' };
  }
}

/** The behaviours of a bot. Each consists of calls that any account may make. */
export const botKinds = ['unknown coupon', 'own coupon', 'buy, cancel, buy'] as const;
export type BotKind = (typeof botKinds)[number];

export interface BotsOptions {
  kind: BotKind;
  accounts: readonly Account[];
  /** The coupon that the bots buy. The bots of `unknown coupon` ignore it. */
  couponId: string;
}

export interface Bots {
  /** Calls so far. */
  calls(): number;
  /** Orders that were made so far. */
  orders(): number;
  stop(): Promise<void>;
}

/** Pause between two admitted calls of one bot. */
const PACE_MS = 20;

/**
 * Starts accounts that call as often as they are admitted. A refused bot calls again at the very instant that the
 * refusal names: no caller can take more slots of the window.
 */
export function startBots({ kind, accounts, couponId }: BotsOptions): Bots {
  const target = kind === 'unknown coupon' ? 'no-such-coupon' : couponId;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  let [calls, orders] = [0, 0];

  async function run(account: Account): Promise<void> {
    while (!stopping.signal.aborted) {
      calls += 1;
      const answer = await clickSeckill(account, target);
      if (answer.kind === 'order') {
        if (answer.isNew) orders += 1;
        if (kind === 'buy, cancel, buy') await cancel(account, answer.orderId);
      }
      await pause((answer.kind === 'refused' && answer.retryAfterMs) || PACE_MS);
    }
  }

  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal });
  const runs = accounts.map((account) => run(account).catch(ignoreAbort));
  return {
    calls: () => calls,
    orders: () => orders,
    async stop() {
      stopping.abort();
      await Promise.all(runs);
    },
  };
}

/** An order that is not confirmed yet cannot be cancelled; the bot tries again after its next call. */
async function cancel({ node, cookie }: Account, id: string): Promise<void> {
  try {
    await node.calls.order.cancel.mutate({ id }, { context: { cookie } });
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
  }
}

/** Creates one account per name, spread over the nodes. */
export function createAccounts(
  { urls, cookieOf }: { urls: readonly string[]; cookieOf: (userId: string) => string },
  names: readonly string[],
): Account[] {
  const nodes = urls.map(createNodeClient);
  return names.flatMap((name, index) => {
    const node = nodes[index % nodes.length];
    return node ? [{ node, cookie: cookieOf(name) }] : [];
  });
}
