import type { Scenario } from '../scenario';
import { edgeBursts } from './edge-bursts';
import { poisson } from './poisson';
import { pulses } from './pulses';
import { steady } from './steady';

/** So many instants of up to seven digits are less than the 32 KiB that a call may carry. */
const mostArrivals = 4_000;

/**
 * When the calls of a scenario come: whole ms from its start, ascending, at most 4 000. The same scenario is always the
 * same calls. The start is the edge of a fixed window.
 */
export function generateArrivals(scenario: Scenario): number[] {
  return arrivalsOf(scenario).slice(0, mostArrivals);
}

function arrivalsOf(scenario: Scenario): readonly number[] {
  switch (scenario.traffic) {
    case 'edge':
      return edgeBursts(scenario);
    case 'steady':
      return steady(scenario);
    case 'pulse':
      return pulses(scenario);
    case 'poisson':
      return poisson(scenario);
    case 'taps':
    case 'live':
      return scenario.arrivals;
  }
}
