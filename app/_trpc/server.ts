import { connection } from 'next/server';
import type { PageRequest, PageRequests } from '../../server/http/page-requests';
import type { createCaller } from '../../server/router';

type Caller = ReturnType<ReturnType<typeof createCaller>>;

/** Who asks for this page, in which language, and whether this is a demo. */
export async function pageRequest(): Promise<PageRequest> {
  await connection();
  return runningServer().request();
}

/** Calls procedures as the visitor of this page, inside the running process: no HTTP, the same context. */
export async function serverCaller(): Promise<Caller> {
  await connection();
  return runningServer().caller();
}

/** Next bundles modules of its own, so the running server is found at one well-known place, not imported. */
function runningServer(): PageRequests<Caller> {
  const found: unknown = Reflect.get(globalThis, Symbol.for('floodgate'));
  if (!isPageRequests(found)) {
    throw new Error('Pages need the running server: start it with `npm start` or `npm run serve`.');
  }
  return found;
}

function isPageRequests(value: unknown): value is PageRequests<Caller> {
  return typeof value === 'object' && value !== null && 'caller' in value && 'request' in value;
}
