import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyTRPCRouter } from '@trpc/server';
import { type KnownRefusal, type Limiter, type Refused, rateLimitHeaders } from '../limiter';
import type { LoggedRefusal } from '../observability/refusal-log';
import type { ClientAddress } from './client-address';
import { jsonLinesOf, wantsJsonLines } from './json-lines';
import { isJsonType } from './json-request';
import { languageOf } from './language';
import { isForeignOrigin } from './origin';
import { createRefusalTexts } from './refusal-text';
import type { Sessions } from './session';
import { type SheddableProcedure, sheddableProcedures } from './sheddable';
import { MAX_BATCH_SIZE, MAX_BODY_BYTES, TRPC_PREFIX } from './trpc-limits';

export interface ShedOptions {
  router: AnyTRPCRouter;
  limiter: Pick<Limiter, 'knownRefusal'>;
  sessions: Pick<Sessions, 'read'>;
  clientAddress: ClientAddress;
  publicOrigin: string | undefined;
  /** Header fields of every answer of the API. */
  headers: Record<string, string>;
  logRefusal: (refusal: LoggedRefusal) => void;
}

/** Answers a request whose every call is certain to be refused; false where it is for the procedures to answer. */
export type Shed = (req: IncomingMessage, res: ServerResponse) => boolean;

/**
 * Says no at the price of parsing HTTP: no body is read and tRPC does not wake. The answer is what the procedures would
 * have said, byte for byte but for times; whatever this cannot be sure of is theirs to answer.
 */
export function createShed(options: ShedOptions): Shed {
  const { router, limiter, sessions, clientAddress, publicOrigin, headers, logRefusal } = options;
  const procedures = sheddableProcedures(router);
  const textOf = createRefusalTexts(router);
  const fixedHeaders = Object.entries({
    vary: 'trpc-accept, accept',
    'content-type': 'application/json',
    ...headers,
  }).flat();

  /** The calls of a request, where every one of them may be shed and none would be answered before its limits. */
  function callsOf(req: IncomingMessage): { calls: SheddableProcedure[]; isBatch: boolean } | undefined {
    const { method, url = '' } = req;
    const type = method === 'POST' ? 'mutation' : method === 'GET' ? 'query' : undefined;
    const target = targetOf(url);
    if (!type || !target || !hasReadableBody(req)) return undefined;
    if (type === 'mutation' && isForeignOrigin(req.headers, publicOrigin)) return undefined;
    const paths = target.isBatch ? target.path.split(',', MAX_BATCH_SIZE + 1) : [target.path];
    if (paths.length > MAX_BATCH_SIZE) return undefined;
    const calls: SheddableProcedure[] = [];
    for (const path of paths) {
      const procedure = procedures.get(path);
      if (procedure?.type !== type) return undefined;
      calls.push(procedure);
    }
    return { calls, isBatch: target.isBatch };
  }

  function refusalsOf(
    req: IncomingMessage,
    calls: readonly SheddableProcedure[],
  ): KnownRefusal[] | undefined {
    const user = calls.some(({ names }) => names.includes('user'))
      ? sessions.read(req.headers.cookie)?.user.id
      : undefined;
    const ip = calls.some(({ names }) => names.includes('ip')) ? clientAddress(req) : undefined;
    const refused: KnownRefusal[] = [];
    for (const { needsUser, policy, names } of calls) {
      if (needsUser && user === undefined) return undefined;
      const subjects = names.map((name) => (name === 'user' ? user : name === 'ip' ? ip : ''));
      if (subjects.includes(undefined)) return undefined;
      const known = limiter.knownRefusal(policy, { subjects });
      if (!known) return undefined;
      refused.push(known);
    }
    return refused;
  }

  return function shed(req, res) {
    const found = callsOf(req);
    if (!found) return false;
    const { calls, isBatch } = found;
    const refused = refusalsOf(req, calls);
    if (!refused) return false;
    const refusals = refused.map(({ refusal }) => refusal);
    const { language } = languageOf(req);
    const texts = calls.map(({ path, policy }, place) =>
      textOf({ path, policy, language, refusal: refusals[place] as Refused }),
    );
    const lines = isBatch && wantsJsonLines(req.headers) ? jsonLinesOf(texts, 429) : undefined;
    const body = lines?.body ?? (isBatch ? `[${texts.join(',')}]` : (texts[0] ?? ''));
    const length = String(Buffer.byteLength(body));
    // A list is written as it stands, which costs half of what an object does.
    const fields = Object.entries(rateLimitHeaders(refusals)).flat();
    res.writeHead(lines?.status ?? 429, [...fixedHeaders, ...fields, 'content-length', length]);
    res.end(body);
    for (const { refusal, observe } of refused) {
      observe();
      const { policy, reason, refusedBy } = refusal;
      logRefusal({ policy, level: refusedBy.level, reason, retryAfterMs: refusedBy.retryAfterMs });
    }
    return true;
  };
}

/** The procedures that a request names. Only the plain forms that clients send: the rest is not worth knowing here. */
function targetOf(url: string): { path: string; isBatch: boolean } | undefined {
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

/** Whether tRPC would take the body as JSON of a size that is let in. What it says is read after the limits. */
function hasReadableBody({ method, headers }: IncomingMessage): boolean {
  const type = headers['content-type'];
  if (method === 'GET') return type === undefined || isJsonType(type);
  const length = headers['content-length'];
  return isJsonType(type) && length !== undefined && Number(length) <= MAX_BODY_BYTES;
}
