import { connection } from 'next/server';
import type { PageRequest, PageRequests, PolicyLevel, RefusedRead } from '../../server/http/page-requests';
import type { createCaller } from '../../server/router';

/** A caller that runs procedures as the page's visitor: inside the process, without HTTP, with the same context. */
export type Caller = ReturnType<ReturnType<typeof createCaller>>;

/** Returns the request of this page: user, language, demo mode. */
export async function getPageRequest(): Promise<PageRequest> {
  await connection();
  return getRunningServer().request();
}

/**
 * Reads from the store. Returns `undefined` if the store is down and sets the status to 503. Other errors go to the
 * error page.
 */
export async function readStore<Result extends object>(
  read: (caller: Caller) => Promise<Result>,
): Promise<Result | undefined> {
  await connection();
  const server = getRunningServer();
  try {
    return await read(server.caller());
  } catch (error) {
    // The error's class comes from the server's bundle, so this bundle checks its code.
    if (!hasCode(error, 'SERVICE_UNAVAILABLE')) throw error;
    server.setStatus(503);
    return undefined;
  }
}

/** Returns the enforced levels of a policy with their effective limits. */
export async function listPolicyLevels(policy: string): Promise<readonly PolicyLevel[]> {
  await connection();
  return getRunningServer().listEnforcedLevels(policy);
}

/** Returns true if a merchant has this id, and also while the store is down. */
export async function merchantExists(id: string): Promise<boolean> {
  await connection();
  return getRunningServer().merchantExists(id);
}

/** The result of a read through a limited procedure. */
export type LimitedRead<Result> =
  | { kind: 'read'; data: Result }
  | { kind: 'store-down' }
  | { kind: 'refused'; refusal: RefusedRead };

/** Reads like `readStore` through procedures whose limit may refuse the visitor; then the status is 429. */
export async function readLimited<Result extends object>(
  read: (caller: Caller) => Promise<Result>,
): Promise<LimitedRead<Result>> {
  let refusal: RefusedRead | undefined;
  const data = await readStore(async (caller) => {
    try {
      return { read: await read(caller) };
    } catch (error) {
      refusal = getRunningServer().handleRefusal(error);
      if (!refusal) throw error;
      return { read: undefined };
    }
  });
  if (refusal) return { kind: 'refused', refusal };
  return data?.read ? { kind: 'read', data: data.read } : { kind: 'store-down' };
}

/**
 * Reads the newest orders of a signed-in visitor. Returns `undefined` for an anonymous one, and if they cannot be read
 * now: a page that works without them stays available.
 */
export async function readOwnOrders(): Promise<Awaited<ReturnType<Caller['order']['list']>> | undefined> {
  await connection();
  const server = getRunningServer();
  if (!server.request().user) return undefined;
  return unlessDown(server.caller().order.list());
}

/** Returns the result of a read, or `undefined` if its store is down: for a part without which its page stays useful. */
export function unlessDown<Result>(read: Promise<Result>): Promise<Result | undefined> {
  return read.catch((error: unknown) => {
    if (!hasCode(error, 'SERVICE_UNAVAILABLE')) throw error;
    return undefined;
  });
}

/** Sets the status of a page that its visitor may not see: 401 for anonymous visitors, else 403. */
export async function denyPage(): Promise<void> {
  await connection();
  const server = getRunningServer();
  server.setStatus(server.request().user ? 403 : 401);
}

/** Returns true if a procedure failed with this code. */
export function hasCode(
  error: unknown,
  code: 'SERVICE_UNAVAILABLE' | 'BAD_REQUEST' | 'TOO_MANY_REQUESTS',
): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Returns the running server from a global symbol, because Next bundles its own copies of modules. */
function getRunningServer(): PageRequests<Caller> {
  const found: unknown = Reflect.get(globalThis, Symbol.for('floodgate'));
  if (!isPageRequests(found)) {
    throw new Error('Pages need the running server: start it with `npm start` or `npm run serve`.');
  }
  return found;
}

function isPageRequests(value: unknown): value is PageRequests<Caller> {
  return typeof value === 'object' && value !== null && 'caller' in value && 'setStatus' in value;
}
