import { useEffect, useMemo, useState } from 'react';
import { encodeScenario, type Scenario } from '../scenario';
import { type Draft, toDraft, toScenario } from './draft';

/** Browsers limit the rate of URL updates. */
const URL_UPDATE_DELAY_MS = 300;

interface ScenarioForm {
  draft: Draft;
  scenario: Scenario;
  change(changes: Partial<Draft>): void;
}

/** The scenario of the form. The URL follows it, so that a reload or a shared link restores it. */
export function useScenario(initial: Scenario): ScenarioForm {
  const [draft, setDraft] = useState(() => toDraft(initial));
  const scenario = useMemo(() => toScenario(draft), [draft]);

  useEffect(() => {
    const timer = setTimeout(() => updateUrl(scenario), URL_UPDATE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [scenario]);

  return { draft, scenario, change: (changes) => setDraft((before) => ({ ...before, ...changes })) };
}

/** Writes the scenario to the URL and keeps other parameters, such as the language. */
function updateUrl(scenario: Scenario): void {
  const query = new URLSearchParams(window.location.search);
  for (const name of ['traffic', 'limit', 'window', 'load', 'windows', 'seed', 'at']) query.delete(name);
  for (const [name, value] of encodeScenario(scenario)) query.set(name, value);
  if (`?${query}` !== window.location.search) window.history.replaceState(null, '', `?${query}`);
}
