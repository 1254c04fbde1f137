import type { IncomingMessage, ServerResponse } from 'node:http';
import { StoreUnavailableError } from '../limiter/index';
import type { Metrics } from '../observability/metrics';
import type { Readiness } from './health';

/** Answers a request. */
export type Route = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Creates the routes for operators and monitoring, by path. */
export function createOperatorRoutes(options: {
  readiness: () => Promise<Readiness>;
  metrics: Pick<Metrics, 'contentType' | 'text'>;
  /** Returns true while the process is stopping. */
  isDraining: () => boolean;
}): Record<string, Route> {
  const { readiness, metrics, isDraining } = options;
  return {
    // Reports only the process. `/readyz` reports its dependencies.
    '/healthz': async (_req, res) => answerJson(res, 200, { alive: true }),
    '/readyz': async (_req, res) => {
      const state = withoutFindings(await readiness());
      if (isDraining()) return answerJson(res, 503, { ...state, ready: false, draining: true });
      answerJson(res, state.ready ? 200 : 503, state);
    },
    '/metrics': async (_req, res) => {
      const text = await metrics.text();
      res.writeHead(200, { 'content-type': metrics.contentType }).end(text);
    },
  };
}

/** Leaves out the findings: the body of `/readyz` is for machines, and is guaranteed. */
function withoutFindings({ dependencies, ...state }: Readiness): Readiness {
  const listed = Object.entries(dependencies).map(([name, { ok, detail }]) => [name, { ok, detail }]);
  return { ...state, dependencies: Object.fromEntries(listed) };
}

function answerJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** The mailbox of a demo. This layer does not read the entries. */
export interface ReadableMailbox {
  /** Returns the entries, newest first. Throws `StoreUnavailableError` while the store is down. */
  read(): Promise<readonly unknown[]>;
}

/** Answers `GET /dev/mailbox.json` for scripts, tests and the mailbox page. */
export function createMailboxRoute({ mailbox }: { mailbox: ReadableMailbox }) {
  return async function mailboxRoute(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== 'GET' && req.method !== 'HEAD')
      return void res.writeHead(405, { allow: 'GET, HEAD' }).end();
    try {
      answerJson(res, 200, await mailbox.read());
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      res.writeHead(503).end();
    }
  };
}
