import { callsPerWindow, type Demand, evenly } from './demand';

/** Calls at even distances. */
export function steady(demand: Demand): number[] {
  const { windowMs, windows } = demand;
  return evenly({ count: callsPerWindow(demand) * windows, from: 0, overMs: windows * windowMs });
}
