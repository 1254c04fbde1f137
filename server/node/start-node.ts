import { hostname, networkInterfaces } from 'node:os';
import type { Env } from '../env';
import { createListener } from '../http/listener';
import { createNextPages } from '../http/next-pages';
import { isLoopbackName } from '../http/server-address';
import { createSessions } from '../http/session';
import { createLiveHub } from '../live/live-hub';
import type { Log } from '../observability/log';
import { createMetrics } from '../observability/metrics';
import { createOpsHub } from '../ops/ops-hub';
import { root } from '../paths';
import { wire } from './wire';

/** Progress of the start. A `notice` is printed. */
export type StartMessage =
  | { type: 'step'; name: string; ms: number }
  | { type: 'notice'; text: string }
  | { type: 'listening'; url: string };

/** Starts one node: wires its subsystems, prepares the pages, listens. Errors state the fix. */
export async function startNode({
  env,
  log,
  sendMessage,
}: {
  env: Env;
  log: Log;
  sendMessage: (message: StartMessage) => void;
}): Promise<{ url: string; close(): Promise<void> }> {
  const isDevelopment = env.NODE_ENV === 'development';
  const metrics = createMetrics();
  const sessions = createSessions({
    // Anyone can sign in as the admin of a demo, so a node outside demo mode rejects its sessions.
    secrets: env.FLOODGATE_DEMO ? env.SESSION_SECRETS.map((secret) => `demo ${secret}`) : env.SESSION_SECRETS,
    secure: env.PUBLIC_ORIGIN?.startsWith('https:') ?? false,
  });
  let loopbackUrl = '';

  const node = await wire({
    env,
    nodeName: `${hostname()}:${env.PORT}`,
    log,
    metrics,
    loopbackUrl: () => loopbackUrl,
    createCookieHeader: sessions.createCookieHeader,
    onStep: (name, ms) => sendMessage({ type: 'step', name, ms }),
  });
  const pages = await createNextPages({
    dev: isDevelopment,
    dir: root,
    hostname: env.HOST,
    port: env.PORT,
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
  const listener = createListener({
    env,
    router: node.router,
    limiter: node.limiter,
    conditions: node.conditions,
    sessions,
    checkSession: node.checkSession,
    log,
    metrics,
    liveHub,
    opsHub,
    readiness: node.readiness,
    observeStoreError: node.observeStoreError,
    pages,
    listEnforcedLevels: node.listEnforcedLevels,
    merchantExists: node.merchantExists,
    mailbox: node.mailbox,
  });

  const { url, port } = await listener.listen();
  loopbackUrl = url;
  node.startJobs();
  const notice = env.FLOODGATE_DEMO
    ? demoNotice({ host: env.HOST, port, publicOrigin: env.PUBLIC_ORIGIN })
    : undefined;
  if (notice !== undefined) sendMessage({ type: 'notice', text: notice });
  if (env.FLOODGATE_DEMO && env.PUBLIC_ORIGIN !== undefined)
    log.warn({ origin: env.PUBLIC_ORIGIN }, DEMO_WARNING);
  log.info({ url }, 'Floodgate is listening.');
  sendMessage({ type: 'listening', url });

  return {
    url,
    async close() {
      await listener.close();
      await node.stop();
    },
  };
}

const DEMO_WARNING = 'This is a demo, and its origin is public: every visitor can become its admin.';

interface DemoNoticeOptions {
  host: string;
  port: number;
  publicOrigin?: string | undefined;
}

/** Returns a warning for a demo that others can reach, because every visitor can sign in as its admin. */
export function demoNotice({ host, port, publicOrigin }: DemoNoticeOptions): string | undefined {
  const isLocal = isLoopbackName(host);
  if (isLocal && publicOrigin === undefined) return undefined;
  const addresses = isLocal ? [] : lanAddresses(port);
  return [
    ...(addresses.length > 0 ? [`On this network: ${addresses.join(' ')}`] : []),
    ...(publicOrigin === undefined ? [] : [`On the internet: ${publicOrigin}`]),
    'WARNING: this is a demo. Everybody who can reach it can sign in as its admin and read its mailbox.',
    'Remove FLOODGATE_DEMO=1 to serve real shoppers.',
  ].join('\n');
}

function lanAddresses(port: number): string[] {
  return Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => `http://${address}:${port}`);
}
