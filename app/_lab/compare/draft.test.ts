import { expect, test } from 'vitest';
import { scenarioOf } from '../scenario';
import { draftOf, scenarioOfDraft } from './draft';

test.each(['traffic=edge&load=150', 'traffic=poisson&seed=3', 'traffic=taps&at=0.5', 'traffic=live&at=1.1'])(
  'a form shows %s as it is',
  (query) => {
    const scenario = scenarioOf(new URLSearchParams(query));
    expect(scenarioOfDraft(draftOf(scenario))).toEqual(scenario);
  },
);

test('looking at other traffic loses neither taps nor numbers', () => {
  const draft = draftOf(scenarioOf(new URLSearchParams('traffic=taps&at=0.5')));
  const looked = scenarioOfDraft({ ...draft, traffic: 'steady', load: 200 });
  expect(looked).toMatchObject({ traffic: 'steady', load: 200 });
  expect(scenarioOfDraft({ ...draft, load: 200 })).toMatchObject({ arrivals: [0, 5] });
});
