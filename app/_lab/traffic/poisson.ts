import { createSeededRandom } from './seeded-random';
import { getCallsPerWindow, type TrafficLoad } from './traffic-load';

/** Generates independent calls with exponential gaps. */
export function generatePoisson(demand: TrafficLoad & { seed: number }): number[] {
  const { windowMs, windows, seed } = demand;
  const meanGapMs = windowMs / getCallsPerWindow(demand);
  const random = createSeededRandom(seed);
  const arrivals: number[] = [];
  for (let at = 0; ; ) {
    at += -Math.log(1 - random()) * meanGapMs;
    if (at >= windows * windowMs) return arrivals;
    arrivals.push(Math.floor(at));
  }
}
