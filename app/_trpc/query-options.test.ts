import { MutationObserver, QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { createQueryOptions } from './query-options';

test('a mutation names the user in its `meta`', async () => {
  const calls: unknown[] = [];
  const trpc = createQueryOptions(async (path, args) => calls.push([path, args]));
  const options = trpc.limit.reset.mutationOptions();
  const input = { policy: 'coupon.claim', level: 'user' };
  const observer = new MutationObserver(new QueryClient(), { ...options, meta: { userName: 'dara' } });
  await observer.mutate(input);
  expect(calls).toEqual([
    [
      ['limit', 'reset', 'mutate'],
      [input, { context: { userName: 'dara' } }],
    ],
  ]);
});
