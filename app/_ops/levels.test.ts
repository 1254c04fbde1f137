import { expect, test } from 'vitest';
import { policies } from '../../server/policies';
import { policyMessages } from './levels';

test('each translated name belongs to a policy', () => {
  const codes: string[] = Object.values(policies).map(({ name }) => name);
  expect(Object.keys(policyMessages).filter((code) => !codes.includes(code))).toEqual([]);
});
