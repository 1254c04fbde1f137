import { callsPerWindow, type Demand } from './demand';
import { seededRandom } from './seeded-random';

/** Callers who know nothing of each other: the gaps between them are exponential. */
export function poisson(demand: Demand & { seed: number }): number[] {
  const { windowMs, windows, seed } = demand;
  const meanGapMs = windowMs / callsPerWindow(demand);
  const random = seededRandom(seed);
  const arrivals: number[] = [];
  for (let at = 0; ; ) {
    at += -Math.log(1 - random()) * meanGapMs;
    if (at >= windows * windowMs) return arrivals;
    arrivals.push(Math.floor(at));
  }
}
