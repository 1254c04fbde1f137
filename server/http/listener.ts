import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AnyTRPCRouter } from '@trpc/server';
import type { DecidingLimiter } from '../limiter/adapters/trpc';
import { createClientAddress, hasEnded, isRequestEnded, type Limiter } from '../limiter/index';
import type { EventHub } from '../live/event-hub';
import { createRefusalLog, type Log } from '../observability/log';
import type { Metrics } from '../observability/metrics';
import type { CheckSession, Conditions } from '../trpc/context';
import { createDrain } from './drain';
import type { Readiness } from './health';
import { createAdminLiveRoute, createLiveRoute } from './live-route';
import type { Pages } from './next-pages';
import { createOpenApiRoute } from './openapi';
import { limitPageHead, type PageRefusal, refusePageHead } from './page-head';
import { createPageRequests, type PageStatus, type PolicyLevel, type RunningRequest } from './page-requests';
import { createRequestContext } from './request-context';
import { createMailboxRoute, createOperatorRoutes, type ReadableMailbox } from './routes';
import { createNonce, createSecurityHeaders } from './security-headers';
import { createListenError, formatServerUrl, isLoopbackHost, isLoopbackName } from './server-address';
import type { Sessions } from './session';
import { createShed } from './shed';
import { createStaticFiles, STATIC_PREFIX } from './static-files';
import { createStreamLimit } from './stream-limit';
import { createTrpcHandler } from './trpc-handler';
import { TRPC_PREFIX } from './trpc-protocol';
import { nameUser } from './user-header';

/** The environment variables that the listener reads. */
export interface ListenerEnv {
  /** 0 selects a free port. */
  PORT: number;
  HOST: string;
  /** Addresses and CIDR ranges whose X-Forwarded-For is trusted. */
  TRUSTED_PROXIES: readonly string[];
  PUBLIC_ORIGIN?: string | undefined;
  /**
   * Maximum number of live streams from one address: up to 1,000 it applies to all nodes together, above 1,000 to each
   * node.
   */
  LIVE_STREAMS_PER_ADDRESS: number;
  FLOODGATE_DEMO: boolean;
  NODE_ENV: 'development' | 'production' | 'test';
}

export interface ListenerOptions {
  env: ListenerEnv;
  router: AnyTRPCRouter;
  limiter: DecidingLimiter & Pick<Limiter, 'cachedRefusal'>;
  /** The state that the conditions of levels read. */
  conditions: Conditions;
  sessions: Sessions;
  checkSession: CheckSession;
  log: Log;
  metrics: Metrics;
  liveHub: EventHub;
  /** The stream for admins. If absent, its path answers 404. */
  opsHub?: EventHub;
  /** Runs the checks of this node's dependencies, for `/readyz`. */
  readiness: () => Promise<Readiness>;
  /** Called with the error of each call that was answered with 503. */
  observeStoreError?: (error: Error) => void;
  pages: Pages;
  /** Returns the limits that pages show. Default: none. */
  listEnforcedLevels?: (policy: string) => readonly PolicyLevel[];
  /** Returns true if a merchant has this id; its page answers 404 otherwise. Default: every merchant exists. */
  merchantExists?: (id: string) => Promise<boolean>;
  /** The mailbox of a demo, which anyone may read. If absent, its path answers 404. */
  mailbox?: ReadableMailbox | undefined;
}

export interface Listener {
  /** Starts listening. Rejects with a `StartError` if the address is not available. */
  listen(): Promise<{ url: string; port: number }>;
  /** Completes pending answers and closes the server, within 3 s. A second call waits for the first. */
  close(): Promise<void>;
}

/** Limits for slow clients. A request has at most 32 KiB, so each limit leaves enough time. */
const TIMEOUTS = {
  /** Time for the headers of a request. */
  headersTimeout: 10_000,
  /** Time for a whole request, with its headers. */
  requestTimeout: 15_000,
  /** Interval of the check for slow requests. */
  connectionsCheckingInterval: 2_000,
  /** Longer than the 60 s of load balancers, so that they close idle connections first, never in the middle of a request. */
  keepAliveTimeout: 65_000,
};

/** Timeout of a connection without any traffic, for example when the client does not read. Streams send every 15 s. */
const IDLE_TIMEOUT_MS = 120_000;

/** Retry time of a page whose store was down. */
const STORE_DOWN_RETRY = { retryAfterMs: 5_000 };

/** Memory limit per connection. A URL with a batch of ten queries fits. */
const MAX_HEADER_BYTES = 16 * 1024;

const FOREIGN_HOST =
  'This server listens on this machine only and answers to localhost, 127.0.0.1 and [::1]. Set PUBLIC_ORIGIN for another name.';

/** Maximum length of a path in the log, in characters. */
const MAX_LOGGED_PATH = 200;

/** Creates the HTTP server of a node: its own routes first, then the pages. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it connects the parts of the server.
export function createListener(options: ListenerOptions): Listener {
  const { env, router, limiter, conditions, sessions, checkSession, log, metrics } = options;
  const { liveHub, opsHub, readiness, pages, mailbox } = options;
  const https = env.PUBLIC_ORIGIN?.startsWith('https:') ?? false;
  const security = createSecurityHeaders({ https, dev: env.NODE_ENV === 'development' });
  const publicOrigin = env.PUBLIC_ORIGIN;
  const clientAddress = createClientAddress({ trustedProxies: env.TRUSTED_PROXIES });
  const requestContext = createRequestContext({
    ...{ limiter, conditions, sessions, checkSession, clientAddress },
    secure: https,
  });
  const logRefusal = createRefusalLog({ log });
  const pageRequests = createPageRequests({
    demo: env.FLOODGATE_DEMO,
    publicOrigin,
    createCaller: (context) => router.createCaller(context),
    listEnforcedLevels: options.listEnforcedLevels ?? (() => []),
    merchantExists: options.merchantExists ?? (async () => true),
    logRefusal,
  });

  const server = createServer({ ...TIMEOUTS, maxHeaderSize: MAX_HEADER_BYTES }, onRequest);
  server.timeout = IDLE_TIMEOUT_MS;
  const drain = createDrain(server);
  if (pages.upgrade) server.on('upgrade', onUpgrade);

  const headers = security.api;
  const shed = createShed({
    ...{ router, limiter, sessions, clientAddress, requestContext },
    ...{ publicOrigin, headers, logRefusal },
  });
  const answerCall = createTrpcHandler({
    ...{ router, requestContext, publicOrigin, log, logRefusal },
    observeStoreError: options.observeStoreError,
  });
  const answerFile = pages.staticDir === undefined ? undefined : createStaticFiles({ dir: pages.staticDir });
  const routes = new Map<string, (req: IncomingMessage, res: ServerResponse) => void | Promise<void>>([
    [
      '/api/live',
      createLiveRoute({
        hub: liveHub,
        limit: createStreamLimit({ limiter, clientAddress, maxPerAddress: env.LIVE_STREAMS_PER_ADDRESS }),
        onRefused: (refused) => logRefusal({ policy: 'api.live', level: 'ip', ...refused }),
      }),
    ],
    ...(opsHub
      ? ([['/api/ops/live', createAdminLiveRoute({ hub: opsHub, sessions, checkSession })]] as const)
      : []),
    ['/openapi.json', createOpenApiRoute(router)],
    ...(mailbox ? ([['/dev/mailbox.json', createMailboxRoute({ mailbox })]] as const) : []),
    ...Object.entries(createOperatorRoutes({ readiness, metrics, isDraining: () => drain.isDraining })),
  ]);

  /**
   * A foreign site can resolve its own name to a loopback address (DNS rebinding). Only the Host header distinguishes its
   * pages from pages of this machine. HTTP/1.0 has no Host, and browsers do not use it.
   */
  const isLocal = publicOrigin === undefined && isLoopbackName(env.HOST);
  const isForeignHost = ({ headers: { host } }: IncomingMessage) =>
    isLocal && host !== undefined && !isLoopbackHost(host);

  async function answerRequest(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (hasEnded(req.socket)) {
      res.destroy();
      return;
    }
    if (isForeignHost(req)) {
      res.writeHead(421, { ...security.api, 'content-type': 'text/plain' }).end(FOREIGN_HOST);
      return;
    }
    const path = pathOf(req.url);
    if (path === undefined) {
      res.writeHead(400, security.api).end();
      return;
    }
    if (path.startsWith(TRPC_PREFIX) && (await shed(req, res))) return;
    const route = path.startsWith(TRPC_PREFIX) || path === TRPC_ROOT ? answerCall : routes.get(path);
    if (route) {
      setHeaders(res, security.api);
      return route(req, res);
    }
    if (answerFile && path.startsWith(STATIC_PREFIX)) {
      setHeaders(res, { 'x-content-type-options': 'nosniff' });
      return answerFile(req, res);
    }
    return answerPage(req, res);
  }

  /** Next reads the nonce from the policy in the request headers. This also replaces any policy that a client sent. */
  async function answerPage(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const refusal = refusePageHead(req);
    if (refusal) return answerRefusedPage(res, { ...refusal, headers: security.api });
    const path = truncatePath(req.url);
    const nonce = createNonce();
    const headers = security.page(nonce);
    setHeaders(res, headers);
    req.headers['content-security-policy'] = headers['content-security-policy'];
    const context = await requestContext(req, res);
    nameUser(res, context.user);
    const onStatus: RunningRequest['onStatus'] = (status, { retryAfterMs } = STORE_DOWN_RETRY) =>
      setPageStatus(status, { req, res, retryAfterMs });
    limitPageHead(req);
    if (isRequestEnded(req, res)) return;
    await pageRequests.run({ context, nonce, onStatus }, () => pages.handle(req, res));
    if (res.statusCode === 503) log.warn({ path }, 'A page was rendered without its store.');
    else if (res.statusCode >= 500) log.error({ path, status: res.statusCode }, 'A page failed.');
  }

  function onRequest(req: IncomingMessage, res: ServerResponse): void {
    if (!drain.track(req, res)) return;
    answerRequest(req, res).catch((err: unknown) => {
      log.error({ err, path: truncatePath(req.url) }, 'A request failed.');
      if (res.headersSent) res.destroy();
      else res.writeHead(500, { 'content-type': 'text/plain' }).end('Something went wrong.');
    });
  }

  function onUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (drain.isDraining || isForeignHost(req)) socket.destroy();
    else pages.upgrade?.(req, socket, head);
  }

  async function end(): Promise<void> {
    const drained = drain.close();
    liveHub.close();
    opsHub?.close();
    await drained;
    pageRequests.close();
    await pages.close();
  }

  let ending: Promise<void> | undefined;
  return {
    async listen() {
      const { HOST: host, PORT } = env;
      await drain.listen({ host, port: PORT }).catch((cause: NodeJS.ErrnoException) => {
        throw createListenError(cause, { host, port: PORT });
      });
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : PORT;
      return { port, url: formatServerUrl({ host, port }) };
    },
    close() {
      ending ??= end();
      return ending;
    },
  };
}

const TRPC_ROOT = TRPC_PREFIX.slice(0, -1);

function setHeaders(res: ServerResponse, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

/** Sets the status of a page that shows an error. Caches, robots and monitors rely on the status. */
function setPageStatus(
  status: PageStatus,
  { req, res, retryAfterMs }: { req: IncomingMessage; res: ServerResponse; retryAfterMs: number | null },
): void {
  // Next's router expects 200 for a part of a page. For any other status it reloads the whole page.
  if (res.headersSent || req.headers.rsc !== undefined) return;
  res.statusCode = status;
  if (status >= 429 && retryAfterMs !== null) res.setHeader('retry-after', Math.ceil(retryAfterMs / 1000));
}

function answerRefusedPage(
  res: ServerResponse,
  { status, text, headers }: PageRefusal & { headers: Record<string, string> },
): void {
  const allow = status === 405 ? { allow: 'GET, HEAD' } : {};
  res.writeHead(status, { ...headers, ...allow, 'content-type': 'text/plain' }).end(text);
}

/** Returns the path of a request target; `undefined` for the forms that only proxies receive. */
function pathOf(url: string | undefined): string | undefined {
  if (!url?.startsWith('/')) return undefined;
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** Returns the start of a path for the log. It is enough to identify the page, and a visitor can choose the rest. */
function truncatePath(url: string | undefined): string | undefined {
  const path = pathOf(url);
  return path !== undefined && path.length > MAX_LOGGED_PATH ? `${path.slice(0, MAX_LOGGED_PATH)}…` : path;
}
