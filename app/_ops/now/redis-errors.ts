import { isSlow, isUnchecked } from '../health-text';
import type { OpsEvent } from '../live/ops-event';

/** Returns true if Redis answered calls of a node with errors in the last minute, or does so now. */
export function hasRedisErrors({ health, nodes }: Pick<OpsEvent, 'health' | 'nodes'>): boolean {
  return (
    (health.redis?.ok === false && !isUnchecked(health.redis) && !isSlow(health.redis)) ||
    health.redisErrors?.ok === false ||
    nodes.some(({ failing }) => failing.includes('redisErrors'))
  );
}
