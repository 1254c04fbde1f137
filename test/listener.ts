import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { createReadiness, type HealthChecks } from '../server/http/health';
import { createListener, type ListenerEnv } from '../server/http/listener';
import type { Pages } from '../server/http/next-pages';
import { createSessions } from '../server/http/session';
import { unlimited } from '../server/limiter/adapters/trpc';
import { createLiveHub } from '../server/live/live-hub';
import { createLog } from '../server/observability/log';
import { createMetrics } from '../server/observability/metrics';
import { publicProcedure, router } from '../server/trpc/procedures';
import { admittingLimiter } from './context';

export const sessions = createSessions({ secrets: ['a secret that is long enough to sign'], secure: false });

const env: ListenerEnv = {
  PORT: 0,
  HOST: '127.0.0.1',
  TRUSTED_PROXIES: [],
  FLOODGATE_DEMO: true,
  LIVE_STREAMS_PER_ADDRESS: 200,
  NODE_ENV: 'production',
};

interface Overrides {
  env?: Partial<ListenerEnv>;
  checks?: HealthChecks;
}

/** Creates the product's HTTP server with one procedure and stub pages. `lines` is its log. */
export function createTestListener(overrides: Overrides = {}) {
  const lines: string[] = [];
  const pagePaths: string[] = [];
  const log = createLog({ level: 'info', stream: { write: (line: string) => lines.push(line) } });
  const pages: Pages = {
    async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
      pagePaths.push(req.url ?? '');
      res.end('page');
    },
    close: async () => undefined,
  };
  return {
    pages,
    pagePaths,
    lines,
    listener: createListener({
      env: { ...env, ...overrides.env },
      router: router({
        whoami: publicProcedure
          .use(unlimited)
          .query(({ ctx: { user, ip, language } }) => ({ user, ip, language })),
      }),
      limiter: admittingLimiter,
      conditions: { couldBuy: () => true },
      sessions,
      checkSession: async () => 'current',
      log,
      metrics: createMetrics(),
      liveHub: createLiveHub({
        read: async () => ({
          ...{ serverNow: 1, windows: [], rates: [], stock: [], queues: [], levels: [] },
          ...{ bans: 0, couponsVersion: '', stockGaps: 0 },
        }),
        readStock: async () => [],
        log,
      }),
      readiness: createReadiness({
        checks: overrides.checks ?? { redis: async () => ({ ok: true, detail: 'answers' }) },
        log,
      }),
      pages,
    }),
  };
}

/** Creates the server and listens on a free port until the test ends. */
export async function startTestListener(overrides: Overrides = {}) {
  const created = createTestListener(overrides);
  onTestFinished(() => created.listener.close());
  return { ...created, ...(await created.listener.listen()) };
}
