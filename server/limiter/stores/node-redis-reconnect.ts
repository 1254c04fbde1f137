import type { RedisHost } from './ioredis-store';
import { kindOf } from './store-error';
import { withinStoreTimeout } from './store-timeout';

/** The part of a node-redis client (4.7, 5 or 6) that the store needs; the result of `createClient` fits. */
export interface NodeRedisClient {
  sendCommand(args: string[], options?: object): Promise<unknown>;
  readonly isReady?: boolean;
  readonly options?: object | undefined;
  on?: RedisHost['on'];
  connect?(): Promise<unknown>;
  destroy?(): void;
  /** Version 4 has no `destroy`. */
  disconnect?(): unknown;
}

/** A connection on which a call waits this long may be dead, even if it looks open. */
const DEAD_MS = 5_000;
/** It is dead if it does not answer a PING either. */
const PING_TIMEOUT_MS = 1_000;

/** Replaces lost connections of node-redis, which has no options for it: its `socketTimeout` restarts with each command. */
export interface Reconnect {
  /** Runs a command, and checks the connections if it gets no reply. */
  watch<Reply>(send: () => Promise<Reply>): Promise<Reply>;
  /** Replaces connections to a primary that became a replica: the address may lead to the new primary. */
  onReadOnly(): void;
}

/** Watches the connections of a client, or of all masters of a cluster. */
export function createReconnect(
  clients: () => readonly (NodeRedisClient | Promise<NodeRedisClient>)[],
): Reconnect {
  /** The calls without a reply, the oldest first. */
  const waiting = new Set<{ sentAt: number }>();
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;

  async function replaceIf(isLost: (client: NodeRedisClient) => Promise<boolean>): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    const checkClient = async (waited: NodeRedisClient | Promise<NodeRedisClient>) => {
      const client = await waited;
      // Otherwise it is connecting already.
      if (!client.isReady || !(await isLost(client))) return;
      if (client.destroy) client.destroy();
      else client.disconnect?.();
      // It goes on until it is connected, and emits its errors.
      client.connect?.().catch(() => undefined);
    };
    await Promise.allSettled(clients().map(checkClient));
    isChecking = false;
  }

  function checkAfter(ms: number): void {
    timer = setTimeout(checkReplies, ms);
    timer.unref();
  }

  function checkReplies(): void {
    timer = undefined;
    const [oldest] = waiting;
    if (!oldest) return;
    const leftMs = oldest.sentAt + DEAD_MS - performance.now();
    if (leftMs <= 0) void replaceIf(isSilent);
    checkAfter(leftMs > 0 ? leftMs : DEAD_MS);
  }

  return {
    async watch(send) {
      const call = { sentAt: performance.now() };
      waiting.add(call);
      if (!timer) checkAfter(DEAD_MS);
      try {
        return await send();
      } finally {
        waiting.delete(call);
      }
    },
    onReadOnly: () => void replaceIf(async () => true),
  };
}

/** Returns true if a connection does not reply to a PING. */
async function isSilent(client: NodeRedisClient): Promise<boolean> {
  try {
    await withinStoreTimeout(client.sendCommand(['PING']), PING_TIMEOUT_MS);
    return false;
  } catch (error) {
    return kindOf(error) === 'timeout';
  }
}
