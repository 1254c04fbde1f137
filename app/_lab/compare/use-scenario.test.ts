import { expect, test } from 'vitest';
import { parseScenario } from '../scenario';
import { toDraft, toScenario } from './use-scenario';

test.each(['traffic=edge&load=150', 'traffic=poisson&seed=3', 'traffic=taps&at=0.5', 'traffic=live&at=1.1'])(
  'a form preserves the scenario %s',
  (query) => {
    const scenario = parseScenario(new URLSearchParams(query));
    expect(toScenario(toDraft(scenario))).toEqual(scenario);
  },
);

test('switching the traffic keeps taps and numbers', () => {
  const draft = toDraft(parseScenario(new URLSearchParams('traffic=taps&at=0.5')));
  const switched = toScenario({ ...draft, traffic: 'steady', load: 200 });
  expect(switched).toMatchObject({ traffic: 'steady', load: 200 });
  expect(toScenario({ ...draft, load: 200 })).toMatchObject({ arrivals: [0, 5] });
});
