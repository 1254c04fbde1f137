import { connection } from 'next/server';
import type { PageRequest, PageRequests, PolicyLevel, RefusedRead } from '../../server/http/page-requests';
import type { createCaller } from '../../server/router';

/** Calls procedures as the visitor of a page, inside the running process: no HTTP, the same context. */
export type Caller = ReturnType<ReturnType<typeof createCaller>>;

/** Who asks for this page, in which language, and whether this is a demo. */
export async function pageRequest(): Promise<PageRequest> {
  await connection();
  return runningServer().request();
}

/**
 * What a page needs of the store. `undefined` where the store is away: the page then says so, and its status is 503.
 * Everything else that is thrown goes on to the error page.
 */
export async function readStore<Result extends object>(
  read: (caller: Caller) => Promise<Result>,
): Promise<Result | undefined> {
  await connection();
  const server = runningServer();
  try {
    return await read(server.caller());
  } catch (error) {
    // The error's class is one of the server's bundle, so this bundle recognizes it by its code.
    if (!hasCode(error, 'SERVICE_UNAVAILABLE')) throw error;
    server.answerAs(503);
    return undefined;
  }
}

/** The enforced levels of a policy, as they are in force now. */
export async function policyLevels(policy: string): Promise<readonly PolicyLevel[]> {
  await connection();
  return runningServer().levelsOf(policy);
}

/** What became of a read through a limited procedure. */
export type LimitedRead<Result> =
  | { kind: 'read'; data: Result }
  | { kind: 'store-down' }
  | { kind: 'refused'; refusal: RefusedRead };

/** Like `readStore`, through procedures whose limit may refuse the visitor: the page's status is then 429. */
export async function readLimited<Result extends object>(
  read: (caller: Caller) => Promise<Result>,
): Promise<LimitedRead<Result>> {
  let refusal: RefusedRead | undefined;
  const data = await readStore(async (caller) => {
    try {
      return { read: await read(caller) };
    } catch (error) {
      refusal = runningServer().answerRefusal(error);
      if (!refusal) throw error;
      return { read: undefined };
    }
  });
  if (refusal) return { kind: 'refused', refusal };
  return data?.read ? { kind: 'read', data: data.read } : { kind: 'store-down' };
}

/** This page is not for its visitor: it says so instead, and its status is 401 for nobody, 403 for somebody. */
export async function closePage(): Promise<void> {
  await connection();
  const server = runningServer();
  server.answerAs(server.request().user ? 403 : 401);
}

/** Whether a procedure failed with this code. */
export function hasCode(error: unknown, code: 'SERVICE_UNAVAILABLE' | 'BAD_REQUEST'): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
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
  return typeof value === 'object' && value !== null && 'caller' in value && 'answerAs' in value;
}
