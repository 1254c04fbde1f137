import type { TRPC_ERROR_CODE_KEY } from '@trpc/server';
import { connection } from 'next/server';
import type { PageRequests, RefusedRead } from '../../server/http/page-requests';
import type { createCaller } from '../../server/router';

/** A caller that runs procedures as the page's visitor: inside the process, without HTTP, with the same context. */
export type Caller = ReturnType<ReturnType<typeof createCaller>>;

/** Returns the running server from a global symbol, because Next bundles its own copies of modules. */
export async function getServer(): Promise<PageRequests<Caller>> {
  await connection();
  const found: unknown = Reflect.get(globalThis, Symbol.for('floodgate'));
  if (isPageRequests(found)) return found;
  throw new Error('Pages need the running server: start it with `npm start` or `npm run serve`.');
}

function isPageRequests(value: unknown): value is PageRequests<Caller> {
  return typeof value === 'object' && value !== null && 'caller' in value && 'setStatus' in value;
}

/** Reads from the store. If it is down, returns `undefined` and sets the status to 503. Other errors go to the error page. */
export async function readStore<Result extends object>(
  read: (caller: Caller) => Promise<Result>,
): Promise<Result | undefined> {
  const server = await getServer();
  const data = await unlessDown(read(server.caller()));
  if (!data) server.setStatus(503);
  return data;
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
  try {
    const data = await readStore(read);
    return data ? { kind: 'read', data } : { kind: 'store-down' };
  } catch (error) {
    const refusal = (await getServer()).handleRefusal(error);
    if (!refusal) throw error;
    return { kind: 'refused', refusal };
  }
}

/** Returns the result of a read, or `undefined` if its store is down: for a part without which its page stays useful. */
export async function unlessDown<Result>(read: Promise<Result>): Promise<Result | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!hasCode(error, 'SERVICE_UNAVAILABLE')) throw error;
    return undefined;
  }
}

/** Returns true if a procedure failed with this code. The error's class is in the server's bundle. */
export function hasCode(error: unknown, code: TRPC_ERROR_CODE_KEY): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
