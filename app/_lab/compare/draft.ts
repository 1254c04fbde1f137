import { bounds, type Scenario, type Traffic } from '../scenario';

/** The state of the form. It holds the fields of every kind of traffic, so that switching the traffic loses nothing. */
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

/** Fills the form from a scenario. Fields that the scenario lacks get their initial values. */
export function toDraft(scenario: Scenario): Draft {
  const { traffic } = scenario;
  const initial: Draft = {
    traffic,
    limit: scenario.limit,
    windowMs: scenario.windowMs,
    load: bounds.load.initial,
    windows: bounds.windows.initial,
    seed: bounds.seed.initial,
    taps: [],
    live: [],
  };
  if ('arrivals' in scenario) return { ...initial, [scenario.traffic]: scenario.arrivals };
  const { load, windows } = scenario;
  return { ...initial, load, windows, ...(scenario.traffic === 'poisson' && { seed: scenario.seed }) };
}

/** Returns the scenario of the form. It contains only the fields that its kind of traffic uses. */
export function toScenario(draft: Draft): Scenario {
  const { traffic, limit, windowMs, load, windows, seed } = draft;
  const limitFields = { limit, windowMs };
  switch (traffic) {
    case 'taps':
    case 'live':
      return { ...limitFields, traffic, arrivals: draft[traffic] };
    case 'poisson':
      return { ...limitFields, traffic, load, windows, seed };
    default:
      return { ...limitFields, traffic, load, windows };
  }
}
