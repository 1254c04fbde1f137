import { startEmbeddedRedis, startNativeRedis } from '../../scripts/lib/services/start-services.mjs';
import { startInFolder, type TestService } from './test-service';

export interface RedisOptions {
  /** Default: a free port. Set the port of a killed Redis to let its clients reconnect. */
  port?: number;
  /** Default: a temporary folder. Set it to restart from the files of a killed Redis. */
  dir?: string;
  /** True keeps data across `kill`. Default: false, so that a restart is empty. */
  appendonly?: boolean;
}

/** Starts a private native Redis. */
export function startRedis({ port, dir, appendonly = false }: RedisOptions = {}): Promise<TestService> {
  return startInFolder('redis', dir, (folder) => startNativeRedis({ dir: folder, port, appendonly }));
}

/** Starts the embedded Redis of `npm start` on a machine without one: the same engine, compiled to 32 bits. */
export function startValkeyWasm({ port }: Pick<RedisOptions, 'port'> = {}): Promise<TestService> {
  return startInFolder('valkey', undefined, (dir) => startEmbeddedRedis({ dir, port }));
}
