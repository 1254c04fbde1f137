import { countUnchecked, hasRedisErrors, isRepairing, isSlow, isUnchecked } from '../health';
import type { OpsEvent } from '../live/ops-event';

/** The dependencies, the most important first. */
export const dependencies = ['redis', 'postgres', 'ledger', 'auditor'] as const;

/** The checks of `/readyz` without a number on the overview. Each shows only while it fails. The node is ready meanwhile. */
export const warnings = ['redisErrors', 'redisClock', 'redisSettings'] as const;

/** The condition of a dependency. */
export type Condition = 'ok' | 'checking' | 'partly' | 'repairing' | 'erring' | 'slow' | 'failing';

/** Returns the condition of a dependency; `undefined` for one without a check. */
export function readCondition(
  name: (typeof dependencies)[number],
  event: Pick<OpsEvent, 'health' | 'nodes'>,
): Condition | undefined {
  const found = event.health[name];
  if (!found) return undefined;
  if (isUnchecked(found)) return 'checking';
  if (isSlow(found)) return 'slow';
  if (!found.ok) return 'failing';
  // Redis decides, but a key, a script or another node gets errors from it.
  if (name === 'redis' && hasRedisErrors(event)) return 'erring';
  if (isRepairing(found)) return 'repairing';
  return countUnchecked(found) > 0 ? 'partly' : 'ok';
}

/** Returns `wait` if the nodes have only warnings, which leave them ready. */
export function readNodesState(nodes: OpsEvent['nodes'] = []): 'plain' | 'wait' | 'bad' {
  const failing = nodes.flatMap((node) => node.failing);
  if (failing.length === 0) return 'plain';
  return failing.every((check) => warnings.some((name) => name === check)) ? 'wait' : 'bad';
}
