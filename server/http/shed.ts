import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyTRPCRouter } from '@trpc/server';
import {
  type CachedRefusal,
  type Caller,
  type ClientAddress,
  EXCLUDED,
  type Limiter,
  rateLimitHeaders,
  type Subjects,
} from '../limiter/index';
import type { LoggedRefusal } from '../observability/log';
import type { User } from '../trpc/context';
import { parseJson } from '../trpc/parse-json';
import { resolveLanguage } from './language';
import { isForeignOrigin } from './origin';
import type { RequestContext } from './request-context';
import type { Sessions } from './session';
import { createRefusalEncoder, listSheddableProcedures, type SheddableProcedure } from './sheddable';
import {
  acceptsJsonLines,
  encodeJsonLines,
  isJsonType,
  MAX_BODY_BYTES,
  MAX_CALLS_PER_REQUEST,
  readBody,
  TRPC_PREFIX,
} from './trpc-protocol';
import { formatUser, showsOtherUser, USER_HEADER } from './user-header';

/** Answers a request if every call in it is certain to be refused. Otherwise returns false, and tRPC answers. */
export type Shed = (req: IncomingMessage, res: ServerResponse) => boolean | Promise<boolean>;

/**
 * Longer bodies are passed to tRPC, so that a flood of slow bodies uses little memory. An input that a condition reads is
 * much shorter.
 */
const MAX_BUFFERED_BYTES = 2 * 1024;

/**
 * Creates the load shedder. It refuses calls at the cost of parsing HTTP: tRPC does not run, and the body is read only if
 * the full level has a condition. Except for times, the answer is byte for byte the answer of the procedures, but for a
 * revoked session of an admin, which is not checked here: the answer names its user. Every call that is not certain to be
 * refused goes to them.
 */
export function createShed(options: {
  router: AnyTRPCRouter;
  limiter: Pick<Limiter, 'cachedRefusal'>;
  sessions: Pick<Sessions, 'read'>;
  clientAddress: ClientAddress;
  requestContext: RequestContext;
  publicOrigin: string | undefined;
  /** The headers of every answer of the API. */
  headers: Record<string, string>;
  logRefusal: (refusal: LoggedRefusal) => void;
}): Shed {
  const { router, limiter, sessions, clientAddress, requestContext } = options;
  const { publicOrigin, headers, logRefusal } = options;
  const procedures = listSheddableProcedures(router);
  const encodeRefusal = createRefusalEncoder(router);
  const fixedHeaders = Object.entries({
    vary: 'trpc-accept, accept',
    'content-type': 'application/json',
    ...headers,
  }).flat();

  /** Returns the calls of a request if all can be shed and none would be answered before its limits. */
  function parseCalls(req: IncomingMessage): { calls: SheddableProcedure[]; isBatch: boolean } | undefined {
    const { method, url = '' } = req;
    const type = method === 'POST' ? 'mutation' : method === 'GET' ? 'query' : undefined;
    const target = parseTarget(url);
    if (!type || !target || !hasReadableBody(req)) return undefined;
    if (type === 'mutation' && isForeignOrigin(req.headers, publicOrigin)) return undefined;
    const paths = target.isBatch ? target.path.split(',', MAX_CALLS_PER_REQUEST + 1) : [target.path];
    if (paths.length > MAX_CALLS_PER_REQUEST) return undefined;
    const calls: SheddableProcedure[] = [];
    for (const path of paths) {
      const procedure = procedures.get(path);
      if (procedure?.type !== type) return undefined;
      calls.push(procedure);
    }
    return { calls, isBatch: target.isBatch };
  }

  function findCaller(req: IncomingMessage, calls: readonly SheddableProcedure[], user: User | null): Caller {
    const needsUser = calls.some((call) => call.needsUser || call.levels.includes('user'));
    const needsIp = calls.some(({ levels }) => levels.includes('ip'));
    return {
      user: needsUser ? user?.id : undefined,
      ip: needsIp ? clientAddress(req) : undefined,
    };
  }

  /** Returns the certain refusal of a call, by the levels that no condition excludes. */
  function findRefusal(
    { policy, levels, needsUser }: SheddableProcedure,
    { caller, excluded = [] }: { caller: Caller; excluded?: readonly string[] },
  ): CachedRefusal | undefined {
    if (needsUser && caller.user === undefined) return undefined;
    const { user, ip } = caller;
    if ((user === undefined && levels.includes('user')) || (ip === undefined && levels.includes('ip')))
      return undefined;
    const subjects: Record<string, Subjects[string]> = { user, ip };
    for (const level of excluded) subjects[level] = EXCLUDED;
    return limiter.cachedRefusal(policy, { subjects });
  }

  function findRefusals(calls: readonly SheddableProcedure[], caller: Caller): ShedCall[] | undefined {
    const refused: ShedCall[] = [];
    for (const call of calls) {
      const known = findRefusal(call, { caller });
      if (!known) return undefined;
      refused.push({ call, known });
    }
    return refused;
  }

  /** Reads the input of a call. Answers the call if a level refuses it that its condition does not exclude. */
  async function shedByCondition(
    call: SheddableProcedure,
    {
      req,
      res,
      user,
      caller,
    }: { req: IncomingMessage; res: ServerResponse; user: User | null; caller: Caller },
  ): Promise<boolean> {
    const body = await readBody(req, MAX_BUFFERED_BYTES);
    if (!('text' in body)) return false;
    const context = await requestContext(req, res);
    const excluded = call.findExcludedLevels({ input: parseJson(body.text), context });
    const known = findRefusal(call, { caller, excluded });
    if (known) refuse({ req, res, user, refused: [{ call, known }], isBatch: false });
    return known !== undefined;
  }

  function refuse({
    req,
    res,
    user,
    refused,
    isBatch,
  }: {
    req: IncomingMessage;
    res: ServerResponse;
    user: User | null;
    refused: readonly ShedCall[];
    isBatch: boolean;
  }): void {
    const { language } = resolveLanguage(req);
    const texts = refused.map(({ call: { path, policy }, known: { refusal } }) =>
      encodeRefusal({ path, policy, language, refusal }),
    );
    const lines = isBatch && acceptsJsonLines(req.headers) ? encodeJsonLines(texts, 429) : undefined;
    const body = lines?.body ?? (isBatch ? `[${texts.join(',')}]` : (texts[0] ?? ''));
    const length = String(Buffer.byteLength(body));
    // `writeHead` handles an array faster than an object.
    const fields = [...fixedHeaders, USER_HEADER, formatUser(user), 'content-length', length];
    const limits = rateLimitHeaders(refused.map(({ known }) => known.refusal));
    for (const [name, value] of Object.entries(limits)) fields.push(name, value);
    res.writeHead(lines?.status ?? 429, fields);
    res.end(body);
    for (const { known } of refused) {
      known.observe();
      const { policy, reason, refusedBy } = known.refusal;
      logRefusal({ policy, level: refusedBy.level, reason, retryAfterMs: refusedBy.retryAfterMs });
    }
  }

  return function shed(req, res) {
    const found = parseCalls(req);
    if (!found) return false;
    const { calls, isBatch } = found;
    const user = sessions.read(req.headers.cookie)?.user ?? null;
    // A call of such a page is answered before its limits.
    if (showsOtherUser(req, user)) return false;
    const caller = findCaller(req, calls, user);
    const refused = findRefusals(calls, caller);
    if (!refused) return false;
    if (!refused.some(isConditional)) {
      refuse({ req, res, user, refused, isBatch });
      return true;
    }
    const [call] = calls;
    if (!call || isBatch || call.type === 'query' || !isShort(req)) return false;
    return shedByCondition(call, { req, res, user, caller });
  };
}

interface ShedCall {
  call: SheddableProcedure;
  known: CachedRefusal;
}

/** Returns true if the refusing level has a condition, so that the input decides if it takes part. */
function isConditional({ call, known }: ShedCall): boolean {
  return call.conditionalLevels.includes(known.refusal.refusedBy.level);
}

/** Parses the procedure paths of a URL. Handles only the plain forms that clients send. */
function parseTarget(url: string): { path: string; isBatch: boolean } | undefined {
  if (url.includes('#')) return undefined;
  const end = url.indexOf('?');
  const path = url.slice(TRPC_PREFIX.length, end === -1 ? undefined : end);
  if (path.includes('%')) return undefined;
  let isBatch = false;
  if (end !== -1) {
    for (const parameter of url.slice(end + 1).split('&')) {
      if (parameter === 'batch=1') isBatch = true;
      else if (!parameter.startsWith('input=')) return undefined;
    }
  }
  return { path, isBatch };
}

function isShort({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length']) <= MAX_BUFFERED_BYTES;
}

/** Returns true if tRPC would accept the body as JSON of an allowed size. tRPC parses it after the limits. */
function hasReadableBody({ method, headers }: IncomingMessage): boolean {
  const type = headers['content-type'];
  if (method === 'GET') return type === undefined || isJsonType(type);
  const length = headers['content-length'];
  return isJsonType(type) && length !== undefined && Number(length) <= MAX_BODY_BYTES;
}
