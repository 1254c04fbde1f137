import type { OpsEvent } from '../live/ops-event';

/** Returns the nodes with faults of their own, without those that all nodes share and the health of the fleet states. */
export function listNodeFaults({ health, nodes }: Pick<OpsEvent, 'health' | 'nodes'>): OpsEvent['nodes'] {
  const isShared = (check: string) =>
    health[check]?.ok === false && nodes.every(({ failing }) => failing.includes(check));
  return nodes
    .map((node) => ({ ...node, failing: node.failing.filter((check) => !isShared(check)) }))
    .filter(({ failing }) => failing.length > 0);
}
