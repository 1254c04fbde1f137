/** What a check found. */
export interface Health {
  ok: boolean;
  /** For an operator, in a few words: why not, or how well. */
  detail: string;
}

export type HealthChecks = Record<string, () => Promise<Health>>;

/** The body of `/readyz`. */
export interface Readiness {
  /** Whether a load balancer should send calls here. */
  ready: boolean;
  /** Present while the process ends: it answers what it has begun. */
  draining?: true;
  dependencies: Record<string, Health>;
}

/** How long one check may take; one that takes longer counts as failed. */
const CHECK_TIMEOUT_MS = 300;

/** How long an answer is given again, so that probing, by however many, costs nothing. */
const CACHE_MS = 500;

/**
 * Creates the readiness check of this node. `checks` decide it. `warnings` are only listed, because another node has the
 * same problem.
 */
export function createReadiness(checks: HealthChecks, warnings: HealthChecks = {}): () => Promise<Readiness> {
  let latest: Promise<Readiness> | undefined;
  let freshUntil = 0;

  return function readiness() {
    if (!latest || performance.now() >= freshUntil) {
      freshUntil = performance.now() + CACHE_MS;
      latest = checkAll(checks, warnings);
    }
    return latest;
  };
}

async function checkAll(checks: HealthChecks, warnings: HealthChecks): Promise<Readiness> {
  const [needed, warned] = await Promise.all([runChecks(checks), runChecks(warnings)]);
  return {
    ready: needed.every(([, { ok }]) => ok),
    dependencies: Object.fromEntries([...needed, ...warned]),
  };
}

function runChecks(checks: HealthChecks): Promise<[name: string, health: Health][]> {
  return Promise.all(
    Object.entries(checks).map(
      async ([name, check]): Promise<[string, Health]> => [name, await runCheck(check)],
    ),
  );
}

/** A check that throws or hangs is an answer too. The reason stays out of it: this page is public. */
async function runCheck(check: () => Promise<Health>): Promise<Health> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Health>((resolve) => {
    timer = setTimeout(resolve, CHECK_TIMEOUT_MS, {
      ok: false,
      detail: `no answer in ${CHECK_TIMEOUT_MS} ms`,
    });
  });
  try {
    const { ok, detail } = await Promise.race([check(), tooLate]);
    return { ok, detail };
  } catch {
    return { ok: false, detail: 'the check failed' };
  } finally {
    clearTimeout(timer);
  }
}
