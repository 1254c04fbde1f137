import { bounds, type Scenario, type Traffic } from '../scenario';

/** What a form holds: also what another kind of traffic needs, so that nothing is lost by looking at one. */
export interface Draft {
  traffic: Traffic;
  limit: number;
  windowMs: number;
  load: number;
  windows: number;
  seed: number;
  taps: readonly number[];
  live: readonly number[];
}

export function draftOf(scenario: Scenario): Draft {
  const { traffic } = scenario;
  const usual: Draft = {
    traffic,
    limit: scenario.limit,
    windowMs: scenario.windowMs,
    load: bounds.load.usual,
    windows: bounds.windows.usual,
    seed: bounds.seed.usual,
    taps: [],
    live: [],
  };
  if ('arrivals' in scenario) return { ...usual, [scenario.traffic]: scenario.arrivals };
  const { load, windows } = scenario;
  return { ...usual, load, windows, ...(scenario.traffic === 'poisson' && { seed: scenario.seed }) };
}

export function scenarioOfDraft(draft: Draft): Scenario {
  const { traffic, limit, windowMs, load, windows, seed } = draft;
  const rule = { limit, windowMs };
  switch (traffic) {
    case 'taps':
    case 'live':
      return { ...rule, traffic, arrivals: draft[traffic] };
    case 'poisson':
      return { ...rule, traffic, load, windows, seed };
    default:
      return { ...rule, traffic, load, windows };
  }
}
