import type { Scenario } from '../scenario';
import { generateEdgeBursts } from './edge-bursts';
import { generatePoisson } from './poisson';
import { generatePulses } from './pulses';
import { generateSteady } from './steady';

/** 4,000 times of up to seven digits take less than the 32 KiB of a request body. */
const MAX_ARRIVALS = 4_000;

/**
 * Generates the arrivals of a scenario: ascending whole ms from its start, at most 4,000. The result is deterministic. The
 * start is an edge of a fixed window.
 */
export function generateArrivals(scenario: Scenario): number[] {
  return createArrivals(scenario).slice(0, MAX_ARRIVALS);
}

function createArrivals(scenario: Scenario): readonly number[] {
  switch (scenario.traffic) {
    case 'edge':
      return generateEdgeBursts(scenario);
    case 'steady':
      return generateSteady(scenario);
    case 'pulse':
      return generatePulses(scenario);
    case 'poisson':
      return generatePoisson(scenario);
    case 'taps':
    case 'live':
      return scenario.arrivals;
  }
}
