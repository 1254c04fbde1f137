import { setTimeout as pause } from 'node:timers/promises';
import type { RedisClient } from './client';

export interface ChannelSubscription {
  channel: string;
  onMessage: (message: string) => void;
  /** Called after each reconnection, when messages arrive again. */
  onResubscribed?: () => void;
  /** Called when the subscription is lost. The next reconnection tries it again. */
  onLost: (error: unknown) => void;
}

/**
 * Subscribes to a channel, again after each reconnection. Messages in between are lost. `subscriber` is a connection for
 * subscriptions only. It may have several channels.
 */
export async function subscribeChannel(
  subscriber: RedisClient,
  { channel, onMessage, onResubscribed, onLost }: ChannelSubscription,
): Promise<void> {
  subscriber.on('message', (from: string, message: string) => {
    if (from === channel) onMessage(message);
  });
  // ioredis's own resubscription would end the process if it failed.
  subscriber.on('ready', () => {
    subscribe(subscriber, channel).then(onResubscribed, onLost);
  });
  await subscribe(subscriber, channel);
}

/**
 * Subscribes once, on a cluster with retries: one node carries all subscriptions, and if it leaves during the call,
 * ioredis fails the call and selects another node.
 */
async function subscribe(subscriber: RedisClient, channel: string): Promise<void> {
  for (let retriesLeft = subscriber.isCluster ? 5 : 0; ; retriesLeft -= 1) {
    try {
      await subscriber.subscribe(channel);
      return;
    } catch (error) {
      if (retriesLeft === 0) throw error;
      await pause(100);
    }
  }
}
