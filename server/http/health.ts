import type { Health } from '../finding';
import type { Log } from '../observability/log';
import { withTimeout } from '../timers';

export type HealthChecks = Record<string, () => Promise<Health>>;

/** The state of this node. `/readyz` answers with it, without the findings. */
export interface Readiness {
  /** True if a load balancer should send calls here. */
  ready: boolean;
  /** Present while the process stops. It still completes pending calls. */
  draining?: true;
  dependencies: Record<string, Health>;
}

/** Timeout of one check. A slower check counts as failed. */
const CHECK_TIMEOUT_MS = 300;

/** A check that has never finished has no result yet for this long after the start. Later it counts as failed. */
const FIRST_RESULT_MS = 5_000;

/** Lifetime of a cached answer, so that frequent probes cost nothing. */
const CACHE_MS = 500;

/**
 * Creates the readiness check of this node. `checks` decide readiness. `warnings` are only listed, because all nodes share
 * the problem. A check that throws is logged when it begins to fail.
 */
export function createReadiness({
  checks,
  warnings = {},
  log,
}: {
  checks: HealthChecks;
  warnings?: HealthChecks | undefined;
  log: Pick<Log, 'error'>;
}): () => Promise<Readiness> {
  const throwing = new Set<string>();
  const finished = new Set<string>();
  const firstResultUntil = performance.now() + FIRST_RESULT_MS;
  let latest: Promise<Readiness> | undefined;
  let freshUntil = 0;

  return function readiness() {
    if (!latest || performance.now() >= freshUntil) {
      freshUntil = performance.now() + CACHE_MS;
      latest = checkAll();
    }
    return latest;
  };

  async function checkAll(): Promise<Readiness> {
    const [needed, listed] = await Promise.all([runChecks(checks), runChecks(warnings)]);
    return {
      ready: needed.every(([, { ok }]) => ok),
      dependencies: Object.fromEntries([...needed, ...listed]),
    };
  }

  function runChecks(group: HealthChecks): Promise<[name: string, health: Health][]> {
    return Promise.all(
      Object.entries(group).map(
        async ([name, check]): Promise<[string, Health]> => [name, await runCheck(name, check)],
      ),
    );
  }

  /** Runs a check that may throw or hang. Only the log has the cause, because `/readyz` is public. */
  async function runCheck(name: string, check: () => Promise<Health>): Promise<Health> {
    try {
      const result = check().finally(() => finished.add(name));
      const { ok, detail, findings } = await withTimeout(result, CHECK_TIMEOUT_MS, () => noAnswer(name));
      throwing.delete(name);
      return { ok, detail, ...(findings && { findings }) };
    } catch (err) {
      if (!throwing.has(name)) log.error({ err, check: name }, 'A readiness check threw an error.');
      throwing.add(name);
      return { ok: false, detail: 'the check failed' };
    }
  }

  /** Returns the result of a check that is too slow. */
  function noAnswer(name: string): Health {
    const isStarting = !finished.has(name) && performance.now() < firstResultUntil;
    if (isStarting) return { ok: false, detail: 'no result yet', findings: [{ code: 'not-checked-yet' }] };
    return {
      ok: false,
      detail: `no answer in ${CHECK_TIMEOUT_MS} ms`,
      findings: [{ code: 'slow', values: { ms: CHECK_TIMEOUT_MS } }],
    };
  }
}
