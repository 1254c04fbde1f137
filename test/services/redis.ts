import { startEmbeddedRedis, startNativeRedis } from '../../scripts/lib/services/start-redis.mjs';
import { startInFolder, type TestService } from './test-service';

export interface RedisOptions {
  /** Default: a free one. Name the former one to let clients of a killed Redis find its successor. */
  port?: number;
  /** Default: a temporary folder. Name one to start again from what a killed Redis left. */
  dir?: string;
  /** Whether what was written survives `kill`. Default false: a new start is empty. */
  appendonly?: boolean;
}

/** Starts a private native Redis. It does not come back by itself when it is killed. */
export function startRedis({ port, dir, appendonly = false }: RedisOptions = {}): Promise<TestService> {
  return startInFolder('redis', dir, (folder) =>
    startNativeRedis({ dir: folder, port, appendonly, restart: false }),
  );
}

/** Starts the embedded Redis of `npm start` on a machine without one: the same engine, compiled to 32 bits. */
export function startValkeyWasm({ port }: Pick<RedisOptions, 'port'> = {}): Promise<TestService> {
  return startInFolder('valkey', undefined, (dir) => startEmbeddedRedis({ dir, port }));
}
