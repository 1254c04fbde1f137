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
    subscriber.subscribe(channel).catch(onLost);
  });
  await subscriber.subscribe(channel);
}
