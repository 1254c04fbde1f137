import { type ResolvedPolicy, resolvePolicy } from '../limiter';
import { policies } from '../policies';
import type { Context } from '../trpc/context';

/** Every policy of the product with its defaults in place, in the order of `policies.ts`. */
export const catalogue: readonly ResolvedPolicy<Context>[] = Object.values(policies).map((policy) =>
  resolvePolicy<Context>(policy, policy.name),
);
