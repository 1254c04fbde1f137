import { callsPerWindow, type Demand, evenly } from './demand';

/** How near to the edge: in shares of the window. */
const nearness = 0.06;

/**
 * What someone does who knows the clock: all calls of a window right before its edge, all of the next right after it.
 * At every other edge, so that what follows an edge can be seen.
 */
export function edgeBursts(demand: Demand): number[] {
  const { windowMs, windows } = demand;
  const count = callsPerWindow(demand);
  const overMs = windowMs * nearness;
  const edges = Array.from({ length: Math.floor(windows / 2) }, (_, place) => (2 * place + 1) * windowMs);
  return edges.flatMap((edge) => [
    ...evenly({ count, from: edge - overMs, overMs }),
    ...evenly({ count, from: edge, overMs }),
  ]);
}
