import { randomUUID } from 'node:crypto';
import { createTRPCClient, httpLink, type TRPCClient } from '@trpc/client';
import type { DestinationStream } from 'pino';
import type { Db } from '../server/db/client';
import { readEnv } from '../server/env';
import { createListener } from '../server/http/listener';
import type { Pages } from '../server/http/next-pages';
import { createSessions, type Sessions } from '../server/http/session';
import { createLiveHub } from '../server/live/live-hub';
import { type Node, wire } from '../server/node/wire';
import { createLog, type LogOptions } from '../server/observability/log';
import { createMetrics } from '../server/observability/metrics';
import { createOpsHub } from '../server/ops/ops-hub';
import type { AppRouter } from '../server/router';
import type { LedgerLagBound } from '../server/sale/gate/gate';
import type { Order } from '../server/sale/order';
import type { Sale } from '../server/sale/sale';
import type { Conditions, User } from '../server/trpc/context';
import { createAdminRows } from './admin-rows';
import { insertCoupon } from './coupons';
import { waitUntil } from './wait-until';

export interface TestNode extends Node {
  url: string;
  /** Signs sessions. The row of an admin is also inserted into Postgres, as at sign-in. */
  sessions: Sessions;
  stop(): Promise<void>;
}

interface TestNodeOptions {
  /** Default: `silent`. */
  level?: LogOptions['level'];
  /** Receives the lines of the log. Default: the standard output. */
  logTo?: DestinationStream;
  lagBound?: LedgerLagBound;
  /** The state that the conditions of levels read. Default: the node's own. */
  conditions?: Conditions;
}

const noPages: Pages = {
  async handle(_req, res) {
    res.writeHead(404).end();
  },
  close: () => Promise.resolve(),
};

/** Starts a node with its HTTP server, but without pages. */
export async function startTestNode(
  settings: Record<string, string>,
  { level = 'silent', logTo, lagBound, conditions }: TestNodeOptions = {},
): Promise<TestNode> {
  const env = {
    ...readEnv({
      SESSION_SECRETS: 'a secret of at least 32 characters for tests',
      NODE_ENV: 'test',
      ...settings,
    }),
    PORT: 0,
  };
  const log = createLog({ level, ...(logTo && { stream: logTo }) });
  const metrics = createMetrics();
  const signing = createSessions({ secrets: env.SESSION_SECRETS, secure: false });
  let url = '';
  const node = await wire({
    env,
    nodeName: `test-${randomUUID()}`,
    log,
    metrics,
    loopbackUrl: () => url,
    createCookieHeader: signing.createCookieHeader,
    lagBound,
    onStep: () => undefined,
  });
  const liveHub = createLiveHub({
    read: node.readLive,
    readStock: node.sale.readStock,
    onViewers(count) {
      metrics.setLiveViewers(count);
      node.setLiveViewers(count);
    },
    log,
  });
  const opsHub = createOpsHub({ read: node.readOps, log });
  const admins = createAdminRows({
    url: env.DATABASE_URL,
    pglite: env.FLOODGATE_PGLITE,
    sessions: signing,
    checkSession: node.checkSession,
  });
  const { sessions, checkSession } = admins;
  const { router, limiter, readiness, mailbox } = node;
  const listener = createListener({
    env,
    router,
    limiter,
    conditions: conditions ?? node.conditions,
    sessions,
    checkSession,
    log,
    metrics,
    liveHub,
    opsHub,
    readiness,
    observeStoreError: node.observeStoreError,
    pages: noPages,
    mailbox,
  });
  ({ url } = await listener.listen());
  node.startJobs();
  return {
    ...node,
    url,
    sessions,
    async stop() {
      await listener.close();
      await admins.close();
      await node.stop();
    },
  };
}

/** Returns a shopper with this id and name. */
export function shopper(id: string): User {
  return { id, name: id, role: 'shopper' };
}

/** Creates a client of a node for a user. A text is the id of a shopper, and undefined an anonymous caller. */
export function clientOf(
  { url, sessions }: Pick<TestNode, 'url' | 'sessions'>,
  user?: User | string,
  headers: Record<string, string> = {},
): TRPCClient<AppRouter> {
  const session = user && sessions.createCookieHeader(typeof user === 'string' ? shopper(user) : user);
  const cookie = [session, headers.cookie].filter(Boolean).join('; ');
  return createTRPCClient({
    links: [httpLink({ url: `${url}/api/trpc`, headers: { ...headers, ...(cookie && { cookie }) } })],
  });
}

/** Sends one call of a shopper like a script: mutations by POST, queries by GET. */
export function fetchCall(
  { url, sessions }: Pick<TestNode, 'url' | 'sessions'>,
  path: string,
  { user, input = {}, headers = {} }: { user: string; input?: object | undefined; headers?: object },
): Promise<Response> {
  const cookie = sessions.createCookieHeader(shopper(user));
  const target = `${url}/api/trpc/${path}`;
  const body = JSON.stringify(input);
  if (!MUTATIONS.has(path))
    return fetch(`${target}?input=${encodeURIComponent(body)}`, { headers: { ...headers, cookie } });
  return fetch(target, {
    method: 'POST',
    headers: { ...headers, cookie, 'content-type': 'application/json' },
    body,
  });
}

const MUTATIONS: ReadonlySet<string> = new Set(['coupon.seckill', 'coupon.claim', 'demo.crowd', 'lab.run']);

/** Buys a new coupon over HTTP, and returns the order when it is confirmed. */
export async function buyConfirmed(
  node: TestNode,
  { db, userId, values }: { db: Db; userId: string; values?: Parameters<typeof insertCoupon>[1] },
): Promise<Order> {
  const couponId = await openCoupon({ db, sale: node.sale }, values);
  const client = clientOf(node, userId);
  const reply = await client.coupon.seckill.mutate({ couponId });
  if (!('order' in reply)) throw new Error(`the sale answered ${reply.outcome}`);
  const { id } = reply.order;
  await waitUntil(async () => (await client.order.byId.query({ id })).order.status === 'confirmed');
  return reply.order;
}

/** Widens the window of everyone on all nodes: a busy machine may need more than the declared 10 s for some hundred calls. */
export async function widenGlobalWindow(nodes: readonly TestNode[]): Promise<void> {
  const windowMs = 600_000;
  const [first, ...others] = nodes.map((one) => clientOf(one, { id: 'ada', name: 'Ada', role: 'admin' }));
  await first?.limit.update.mutate({ policy: 'coupon.seckill', level: 'global', windowMs });
  for (const { limit } of others)
    await waitUntil(async () =>
      (await limit.list.query()).policies.some(({ levels }) =>
        levels.some(({ effective }) => effective.windowMs === windowMs),
      ),
    );
}

/** Inserts a coupon and waits until a node has opened its gate. */
export async function openCoupon(
  { db, sale }: { db: Db; sale: Pick<Sale, 'ensureGate'> },
  values?: Parameters<typeof insertCoupon>[1],
): Promise<string> {
  const id = await insertCoupon(db, values);
  await waitUntil(() => sale.ensureGate(id));
  return id;
}
