import type { AddressInfo } from 'node:net';
import { app, limiter } from './route.js';

// Names what Redis lacks. The server starts also without Redis: `onStoreError` of each policy decides.
await limiter.ready().catch((error) => console.error(error.message));

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.info(`http://127.0.0.1:${port}/complete?prompt=Hello`);
});
