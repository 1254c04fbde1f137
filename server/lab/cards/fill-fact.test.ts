import { expect, test } from 'vitest';
import { type FactSide, fillFact } from './fill-fact';

const side: FactSide = {
  side: {
    ...{ decisions: [], admitted: 3_600, refused: 2, worstWindow: 7, worstWindowEndsAt: null },
    ...{ figure: { counts: 'admitted', value: 5, of: 9, isOk: false }, roundTrips: 1, keys: [], groups: [] },
  },
  run: {
    measured: {
      ...{ decisions: [], admitted: 3_600, refused: 2, worstWindow: 7, worstWindowEndsAt: null },
      ...{ calls: [], keyNames: ['one', 'two'], keysLeft: 1, keysForEver: 0 },
    },
    roundTrips: 1,
    keys: [],
  },
};

test('a fact has the numbers of its sides, in the format of the language', () => {
  const fact =
    '{naive.admitted}, {naive.refused}, {naive.worstWindow}, {product.figure}, {product.keys}, {product.keysLeft}';
  const filled = fillFact(fact, { language: 'en', sides: { naive: side, product: side } });
  expect(filled).toBe('3,600, 2, 7, 5, 2, 1');
});

test.each(['{third.admitted}', '{naive.luck}', '{fourth.admitted}'])('%s is no number of a side', (fact) => {
  expect(() => fillFact(fact, { language: 'zh', sides: { naive: side } })).toThrow(`names ${fact}`);
});
