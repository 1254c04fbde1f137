import { useEffect, useMemo, useState } from 'react';
import { type PresetName, presets } from '../presets';
import { bounds, encodeScenario, type Scenario, type Traffic } from '../scenario';

/** Browsers limit the rate of URL updates. */
const URL_UPDATE_DELAY_MS = 300;

interface ScenarioForm {
  draft: Draft;
  scenario: Scenario;
  change(changes: Partial<Draft>): void;
}

/** The scenario of the form. The URL follows its changes, so that a reload or a shared link restores it. */
export function useScenario(initial: Scenario): ScenarioForm {
  const [draft, setDraft] = useState(() => toDraft(initial));
  const scenario = useMemo(() => toScenario(draft), [draft]);
  const [loaded] = useState(scenario);

  useEffect(() => {
    // A URL update cancels a navigation that has started, such as a click right after loading.
    if (scenario === loaded) return;
    const timer = setTimeout(() => updateUrl(scenario), URL_UPDATE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [scenario, loaded]);

  return { draft, scenario, change: (changes) => setDraft((before) => ({ ...before, ...changes })) };
}

const queryNames = ['traffic', 'limit', 'window', 'subwindows', 'load', 'windows', 'seed', 'at', 'preset'];

/** Writes the scenario to the URL and keeps other parameters, such as the language. */
function updateUrl(scenario: Scenario): void {
  const query = new URLSearchParams(window.location.search);
  for (const name of queryNames) query.delete(name);
  for (const [name, value] of encodeScenario(scenario)) query.set(name, value);
  if (`?${query}` !== window.location.search) window.history.replaceState(null, '', `?${query}`);
}

/** The state of the form. It holds the fields of every kind of traffic, so that switching the traffic loses nothing. */
export interface Draft {
  traffic: Traffic;
  limit: number;
  windowMs: number;
  subWindows: number;
  load: number;
  windows: number;
  seed: number;
  taps: readonly number[];
  live: readonly number[];
  preset: PresetName;
}

/** Fills the form from a scenario. Fields that the scenario lacks get their initial values. */
export function toDraft(scenario: Scenario): Draft {
  const { traffic } = scenario;
  const initial: Draft = {
    traffic,
    limit: scenario.limit,
    windowMs: scenario.windowMs,
    subWindows: scenario.subWindows,
    load: bounds.load.initial,
    windows: bounds.windows.initial,
    seed: bounds.seed.initial,
    taps: [],
    live: [],
    preset: presets[0].name,
  };
  if (scenario.traffic === 'preset') return { ...initial, preset: scenario.preset };
  if ('arrivals' in scenario) return { ...initial, [scenario.traffic]: scenario.arrivals };
  const { load, windows } = scenario;
  return { ...initial, load, windows, ...(scenario.traffic === 'poisson' && { seed: scenario.seed }) };
}

/** Returns the scenario of the form. It contains only the fields that its kind of traffic uses. */
export function toScenario(draft: Draft): Scenario {
  const { traffic, limit, windowMs, subWindows, load, windows, seed } = draft;
  const limitFields = { limit, windowMs, subWindows };
  switch (traffic) {
    case 'preset':
      return { ...limitFields, traffic, preset: draft.preset };
    case 'taps':
    case 'live':
      return { ...limitFields, traffic, arrivals: draft[traffic] };
    case 'poisson':
      return { ...limitFields, traffic, load, windows, seed };
    default:
      return { ...limitFields, traffic, load, windows };
  }
}
