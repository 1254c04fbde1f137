import { setTimeout as pause } from 'node:timers/promises';
import type { RedisClient } from './client';

export interface Hearing {
  channel: string;
  hear: (message: string) => void;
  /** Told when the channel is not heard any more, until the connection is made anew once again. */
  onLost: (error: unknown) => void;
}

/**
 * Hears a channel, also after its connection was lost; what is said meanwhile is lost. `subscriber` is a connection
 * that does nothing else, and may hear several channels.
 */
export async function hearChannel(
  subscriber: RedisClient,
  { channel, hear, onLost }: Hearing,
): Promise<void> {
  subscriber.on('message', (from: string, message: string) => {
    if (from === channel) hear(message);
  });
  // ioredis would subscribe anew by itself and leave its failure to end the process.
  subscriber.on('ready', () => {
    subscribe(subscriber, channel).catch(onLost);
  });
  await subscribe(subscriber, channel);
}

/**
 * One node of a cluster carries all subscriptions, and may leave while one is being made: ioredis then fails that one
 * and turns to another node, where the next attempt finds it.
 */
async function subscribe(subscriber: RedisClient, channel: string): Promise<void> {
  for (let left = subscriber.isCluster ? 5 : 0; ; left -= 1) {
    try {
      await subscriber.subscribe(channel);
      return;
    } catch (error) {
      if (left === 0) throw error;
      await pause(100);
    }
  }
}
