import { LRUCache } from 'lru-cache';
import type { Log } from '../../observability/log';
import type { RedisClient } from '../../redis/client';
import { changedGatesChannel, couponOfGate } from '../../redis/keys';
import { subscribeChannel } from '../../redis/subscribe-channel';
import { MAX_COUPONS } from './fence';

/**
 * The gates that have changed lately, as far as this node knows. The script that changes a gate notifies all nodes, so the
 * jobs of an idle node need not read every gate: docs/decisions/067.
 */
export interface ChangedGates {
  /** Stores that a gate has changed now, or must be read again. */
  add(couponId: string): void;
  /** Lists the gates that changed in the last `ms`. */
  within(ms: number): string[];
  /** Stores that notifications may be lost, so each job has to read every gate once. */
  addGap(): void;
  /** Returns the number of gaps. The start of the node is the first. */
  gaps(): number;
}

/** Creates the changed gates of a node. */
export function createChangedGates(): ChangedGates {
  const changedAt = new LRUCache<string, number>({ max: MAX_COUPONS });
  let gaps = 1;
  return {
    add: (couponId) => void changedAt.set(couponId, performance.now()),
    within(ms) {
      const since = performance.now() - ms;
      const couponIds: string[] = [];
      for (const [couponId, at] of changedAt.entries()) {
        // Newest first.
        if (at < since) break;
        couponIds.push(couponId);
      }
      return couponIds;
    },
    addGap() {
      gaps += 1;
    },
    gaps: () => gaps,
  };
}

/** Subscribes to the notifications of the scripts. A lost connection is a gap. */
export async function subscribeChangedGates(
  subscriber: RedisClient,
  { changedGates, log }: { changedGates: Pick<ChangedGates, 'add' | 'addGap'>; log: Pick<Log, 'warn'> },
): Promise<void> {
  // A cluster moves its subscriptions to another node without a reconnection.
  for (const event of ['+node', '-node']) subscriber.on(event, changedGates.addGap);
  await subscribeChannel(subscriber, {
    channel: changedGatesChannel,
    onMessage(gateKey) {
      const couponId = couponOfGate(gateKey);
      if (couponId !== undefined) changedGates.add(couponId);
    },
    onResubscribed: changedGates.addGap,
    onLost: (err) => log.warn({ err }, 'This node receives no notifications of changed gates.'),
  });
}
