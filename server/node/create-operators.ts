import { sharedSecret } from '../db/shared-secret';
import type { Env } from '../env';
import type { Readiness } from '../http/health';
import type { PolicyRegistry } from '../limits/policy-registry';
import type { OpsState } from '../live/ops-hub';
import { createOps, type OpsOptions } from '../ops/ops';
import type { OpsVerbs } from '../ops/router';
import type { Subsystem } from './subsystem';

interface OperatorsOptions extends Omit<OpsOptions, 'urls' | 'health' | 'webhook'> {
  env: Env;
  readiness: () => Promise<Readiness>;
  policies: () => PolicyRegistry;
  /** Called with the names of the failing dependencies, every second. */
  onFailing: (names: string[]) => void;
}

export interface Operators {
  ops: OpsVerbs;
  readState: () => Promise<OpsState>;
}

/** Creates the operator features, and evaluates the alert rules every second. */
export async function createOperators({
  env,
  readiness,
  policies,
  onFailing,
  ...options
}: OperatorsOptions): Promise<Subsystem<Operators>> {
  const { ALERT_WEBHOOK_URL: url } = env;
  const ops = createOps({
    ...options,
    urls: env.REDIS_URL,
    health: async () => (await readiness()).dependencies,
    webhook: url ? { url, secret: await sharedSecret(options.db, 'alerts') } : undefined,
  });

  async function evaluateAlerts(): Promise<void> {
    const { dependencies } = await readiness();
    onFailing(Object.keys(dependencies).filter((name) => !dependencies[name]?.ok));
    await ops.evaluateAlerts(policies());
  }

  return {
    verbs: { ops: ops.verbs, readState: async () => ops.readState(policies()) },
    jobs: [{ name: 'Evaluating the alert rules', run: evaluateAlerts, everyMs: 1_000 }],
    stop: ops.stop,
  };
}
