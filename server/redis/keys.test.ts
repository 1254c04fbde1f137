import { expect, test } from 'vitest';
import { experimentPrefix, labProgressKey, scatteredExperimentPrefix } from './keys';

test.each(['a}:{coupon', 'x:gate', '../sale', '*', '\u0000', '{', '}'])(
  'the id %j cannot leave the key prefix of the lab',
  (id) => {
    for (const key of [experimentPrefix(id), labProgressKey(id), scatteredExperimentPrefix(id)]) {
      expect(key).toMatch(/^lab:(\{[^{}:]+\}|[^{}:]+):(progress)?$/);
    }
  },
);
