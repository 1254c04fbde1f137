import type { AnyTRPCRouter } from '@trpc/server';
import { type ResolvedPolicy, resolvePolicy } from './policy';
import { declaredPolicies } from './trpc';
import { PolicyError } from './validate-policy';

/**
 * The policies that the procedures of a router declare, each once and with its defaults in place, in the order of the
 * procedures. Call it while the process starts: it throws a `PolicyError` where two policies share a name, since they
 * would share their windows as well.
 */
export function policiesOf(router: AnyTRPCRouter): ResolvedPolicy<never>[] {
  const found = new Map<string, { policy: object; resolved: ResolvedPolicy<never> }>();
  for (const [path, policy] of declaredPolicies(router)) {
    if (policy === undefined || policy === 'unlimited') continue;
    const resolved = resolvePolicy(policy, path);
    const namesake = found.get(resolved.name);
    if (namesake && namesake.policy !== policy) {
      const fix = `"${path}" and another procedure declare policies of this name that differ. Rename one, or let both declare one policy.`;
      throw new PolicyError(resolved.name, { field: 'name', value: resolved.name, fix });
    }
    if (!namesake) found.set(resolved.name, { policy, resolved });
  }
  return [...found.values()].map(({ resolved }) => resolved);
}
