import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from '../observability/metrics';
import { createReadiness, type HealthChecks } from './health';

type Route = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

export interface OperatorRouteOptions {
  checks: HealthChecks;
  /** Shown by `/readyz`, which is no less ready for it. */
  warnings?: HealthChecks | undefined;
  metrics: Pick<Metrics, 'contentType' | 'text'>;
  /** Whether the process is ending. */
  isDraining: () => boolean;
}

/** What operators and their machines ask, by path. */
export function createOperatorRoutes(options: OperatorRouteOptions): Record<string, Route> {
  const { checks, warnings, metrics, isDraining } = options;
  const readiness = createReadiness(checks, warnings);
  return {
    /** The process runs and answers; whether anything it needs does is for `/readyz`. */
    '/healthz': async (_req, res) => answerJson(res, 200, { alive: true }),
    '/readyz': async (_req, res) => {
      const found = await readiness();
      if (isDraining()) return answerJson(res, 503, { ...found, ready: false, draining: true });
      answerJson(res, found.ready ? 200 : 503, found);
    },
    '/metrics': async (_req, res) => {
      const text = await metrics.text();
      res.writeHead(200, { 'content-type': metrics.contentType }).end(text);
    },
  };
}

function answerJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
