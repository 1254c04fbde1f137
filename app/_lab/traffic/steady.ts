import { getCallsPerWindow, spreadEvenly, type TrafficLoad } from './traffic-load';

/** Generates evenly spaced calls. */
export function generateSteady(demand: TrafficLoad): number[] {
  const { windowMs, windows } = demand;
  return spreadEvenly({ count: getCallsPerWindow(demand) * windows, from: 0, overMs: windows * windowMs });
}
