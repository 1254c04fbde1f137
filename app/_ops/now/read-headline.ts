import type { RefusalMarks } from '../../_live/live-snapshot';
import { isSlow, isUnchecked } from '../health-text';
import type { OpsEvent } from '../live/ops-event';
import { RATE_MS } from './count-activity';
import type { Pulse } from './read-pulse';
import { hasRedisErrors } from './redis-errors';

/** The headline of the overview. */
export type Headline =
  | Pulse['traffic']
  | 'redisFailing'
  | 'postgresFailing'
  | 'storesFailing'
  | 'errors'
  | 'starting'
  | 'resuming'
  | 'refusalsBegin'
  | 'few'
  | 'full';

interface Facts extends Pick<Pulse, 'traffic' | 'refusedShare'> {
  event: Pick<OpsEvent, 'health' | 'nodes' | 'stale' | 'alerts' | 'windows' | 'serverNow'>;
  /** The `levelKey` of a full shared window. */
  fullKey: string | undefined;
  /** A call was refused in the last ten seconds. */
  isRefusing: boolean;
  /** The chart shows earlier calls. */
  hadCalls: boolean;
}

/** Derives the headline from the numbers and the health next to it. A failing store comes first. */
export function readHeadline({
  event,
  traffic,
  refusedShare,
  fullKey,
  isRefusing,
  hadCalls,
}: Facts): Headline {
  const isRedisFailing = event.stale || isStoreFailing('redis', event);
  const isPostgresFailing = isStoreFailing('postgres', event);
  if (isRedisFailing && isPostgresFailing) return 'storesFailing';
  if (isRedisFailing) return 'redisFailing';
  if (isPostgresFailing) return 'postgresFailing';
  if (traffic === 'flood') return 'flood';
  // Failed calls have no outcome, so the rates do not show them.
  if (hasRedisErrors(event)) return 'errors';
  if (traffic === 'refusing') return 'refusing';
  if (fullKey !== undefined) return 'full';
  // The rates do not show the first refusals yet.
  if (isRefusing && refusedShare === 0) return 'refusalsBegin';
  if (traffic === 'busy' && refusedShare >= 0.5) return 'few';
  if (traffic !== 'quiet' || !hasRecentHits(event)) return traffic;
  return hadCalls ? 'resuming' : 'starting';
}

/** Returns the words for normal traffic with refusals. A share in the text would be announced each second. */
export function readAdmitted(refusedShare: number): 'mostAdmitted' | 'someRefused' {
  return refusedShare < 0.1 ? 'mostAdmitted' : 'someRefused';
}

/** Returns true if a window counts a call of the last ten seconds, which the rates show up to three seconds later. */
export function hasRecentHits({ windows, serverNow }: Pick<OpsEvent, 'windows' | 'serverNow'>): boolean {
  return windows.some(({ hits }) => hits.some((hit) => hit > serverNow - RATE_MS));
}

/** Returns true if a call was refused in the last `withinMs`, which the rates show up to three seconds later. */
export function hasRecentRefusals(
  refused: RefusalMarks,
  { serverNow, withinMs }: Pick<OpsEvent, 'serverNow'> & { withinMs: number },
): boolean {
  return Object.values(refused).some((marks) => marks.some(({ at }) => at > serverNow - withinMs));
}

/**
 * Returns true if a store does not answer. Returns false for one that answers with errors, which has its own headline, and for
 * one whose check is slow until the alert fires.
 */
export function isStoreFailing(
  store: 'redis' | 'postgres',
  { health, alerts }: Pick<OpsEvent, 'health' | 'alerts'>,
): boolean {
  const found = health[store];
  if (!found || found.ok || isUnchecked(found)) return false;
  if (isSlow(found))
    return alerts.active.some(({ rule, target }) => rule === 'store-down' && target === store);
  return !found.findings?.some(({ code }) => code === 'error-reply');
}

/** Returns true if a person may have to act: an alert is active, or a check of a node fails. */
export function needsOperator({
  alerts,
  health,
  nodes,
}: Pick<OpsEvent, 'alerts' | 'health' | 'nodes'>): boolean {
  return alerts.active.length > 0 || listFailingChecks({ health, nodes }).length > 0;
}

/** Returns the names of the checks that fail on any node. */
export function listFailingChecks({ health, nodes }: Pick<OpsEvent, 'health' | 'nodes'>): string[] {
  const ofFleet = Object.keys(health).filter((name) => {
    const one = health[name];
    return one && !one.ok && !isUnchecked(one);
  });
  return [...new Set([...ofFleet, ...nodes.flatMap(({ failing }) => failing)])];
}
