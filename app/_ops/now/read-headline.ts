import { isUnchecked } from '../health-text';
import type { Health, OpsEvent } from '../live/ops-event';
import type { Pulse } from './read-pulse';
import { hasRedisErrors } from './redis-errors';

/** The headline of the overview. */
export type Headline =
  | Pulse['traffic']
  | 'redisFailing'
  | 'postgresFailing'
  | 'storesFailing'
  | 'errors'
  | 'full';

interface Facts {
  traffic: Pulse['traffic'];
  event: Pick<OpsEvent, 'health' | 'nodes' | 'stale'>;
  /** The `levelKey` of a full shared window. */
  fullKey: string | undefined;
}

/** Derives the headline from the numbers and the health next to it. A failing store comes first. */
export function readHeadline({ traffic, event, fullKey }: Facts): Headline {
  const { redis, postgres } = event.health;
  const isRedisFailing = event.stale || isStoreFailing(redis, traffic);
  const isPostgresFailing = isStoreFailing(postgres, traffic);
  if (isRedisFailing && isPostgresFailing) return 'storesFailing';
  if (isRedisFailing) return 'redisFailing';
  if (isPostgresFailing) return 'postgresFailing';
  if (traffic === 'flood') return 'flood';
  // Failed calls have no outcome, so the rates do not show them.
  if (hasRedisErrors(event)) return 'errors';
  if (traffic === 'refusing') return 'refusing';
  return fullKey === undefined ? traffic : 'full';
}

/**
 * Returns false for a store that answers with errors: it is up, and has its own headline. A check without a finding was too
 * slow, as in a flood, where replies wait in the event loop of the node.
 */
function isStoreFailing(health: Health | undefined, traffic: Pulse['traffic']): boolean {
  if (!health || health.ok || isUnchecked(health)) return false;
  if (!health.findings) return traffic !== 'flood';
  return !health.findings.some(({ code }) => code === 'error-reply');
}

/** Returns true if a person may have to act: an alert is active, or a check of a node fails. */
export function needsOperator({
  alerts,
  health,
  nodes,
}: Pick<OpsEvent, 'alerts' | 'health' | 'nodes'>): boolean {
  return alerts.active.length > 0 || hasFailingCheck({ health, nodes });
}

/** Returns true if a check of any node fails. */
export function hasFailingCheck({ health, nodes }: Pick<OpsEvent, 'health' | 'nodes'>): boolean {
  return (
    Object.values(health).some((one) => !one.ok && !isUnchecked(one)) ||
    nodes.some(({ failing }) => failing.length > 0)
  );
}
