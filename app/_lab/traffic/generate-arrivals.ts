import type { Scenario } from '../scenario';
import { edgeBursts } from './edge-bursts';
import { poisson } from './poisson';
import { pulses } from './pulses';
import { steady } from './steady';

/** As many as one run of the lab takes. */
const mostArrivals = 5_000;

/**
 * When the calls of a scenario come: whole ms from its start, ascending, at most 5 000. The same scenario is always the
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
