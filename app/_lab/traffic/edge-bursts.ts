import { getCallsPerWindow, spreadEvenly, type TrafficLoad } from './traffic-load';

/** Length of a burst, as a share of the window. */
const BURST_SHARE = 0.06;

/**
 * Generates a full limit right before an edge and a full limit right after it. Uses every other edge, so that the effect
 * after an edge is visible.
 */
export function generateEdgeBursts(demand: TrafficLoad): number[] {
  const { windowMs, windows } = demand;
  const count = getCallsPerWindow(demand);
  const overMs = windowMs * BURST_SHARE;
  const edges = Array.from({ length: Math.floor(windows / 2) }, (_, index) => (2 * index + 1) * windowMs);
  return edges.flatMap((edge) => [
    ...spreadEvenly({ count, from: edge - overMs, overMs }),
    ...spreadEvenly({ count, from: edge, overMs }),
  ]);
}
