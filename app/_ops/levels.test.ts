import { expect, test } from 'vitest';
import { policies } from '../../server/policies';
import { policyMessages } from './levels';

test('every policy of the app has a name', () => {
  const codes = Object.values(policies).map(({ name }) => name);
  expect(Object.keys(policyMessages).toSorted()).toEqual(codes.toSorted());
});
