import { useEffect, useMemo, useState } from 'react';
import { queryOf, type Scenario } from '../scenario';
import { type Draft, draftOf, scenarioOfDraft } from './draft';

/** Browsers refuse to write an address too often. */
const restMs = 300;

interface ScenarioForm {
  draft: Draft;
  scenario: Scenario;
  change(changes: Partial<Draft>): void;
}

/** The scenario that a form holds. The address follows it, so that reloading or sending it brings the same. */
export function useScenario(initial: Scenario): ScenarioForm {
  const [draft, setDraft] = useState(() => draftOf(initial));
  const scenario = useMemo(() => scenarioOfDraft(draft), [draft]);

  useEffect(() => {
    const timer = setTimeout(() => writeAddress(scenario), restMs);
    return () => clearTimeout(timer);
  }, [scenario]);

  return { draft, scenario, change: (changes) => setDraft((before) => ({ ...before, ...changes })) };
}

/** Keeps what else an address says, such as the language. */
function writeAddress(scenario: Scenario): void {
  const query = new URLSearchParams(window.location.search);
  for (const name of ['traffic', 'limit', 'window', 'load', 'windows', 'seed', 'at']) query.delete(name);
  for (const [name, value] of queryOf(scenario)) query.set(name, value);
  if (`?${query}` !== window.location.search) window.history.replaceState(null, '', `?${query}`);
}
