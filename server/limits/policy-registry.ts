import { z } from 'zod';
import { AppError, notFoundError } from '../errors';
import { type ResolvedPolicy, resolvePolicy } from '../limiter/index';
import { demoPolicies, policies } from '../policies';
import { idInput } from '../trpc/inputs';

/** All policies that the procedures of this node declare. Operators list them and override their limits. */
export type PolicyRegistry = readonly ResolvedPolicy<never>[];

/** Returns the policies of the procedures of a node. */
export function listPolicies({ demo }: { demo: boolean }): PolicyRegistry {
  return Object.values(policies)
    .filter((policy) => demo || !demoPolicies.includes(policy))
    .map((policy) => resolvePolicy<never>(policy, policy.name));
}

/** Finds a policy by its name. Throws NOT_FOUND. */
export function findPolicy(policies: PolicyRegistry, name: string): PolicyRegistry[number] {
  const policy = policies.find((one) => one.name === name);
  if (!policy) throw notFoundError('policy', name);
  return policy;
}

/** The name of a level, as operators send it. */
export const levelInput = z.object({ policy: idInput, level: idInput });

/** A declared level and its policy. */
export interface NamedLevel {
  policy: PolicyRegistry[number];
  /** Index of the level in the policy. */
  index: number;
  declared: PolicyRegistry[number]['levels'][number];
  /** The other policies with this level, if it is shared. */
  sharing: PolicyRegistry;
}

/** Finds a level by its name. Throws NOT_FOUND with a message for the operator. */
export function findLevel(
  policies: PolicyRegistry,
  { policy: name, level }: { policy: string; level: string },
): NamedLevel {
  const policy = findPolicy(policies, name);
  const index = policy.levels.findIndex((one) => one.level === level);
  const declared = policy.levels[index];
  if (!declared) {
    throw new AppError('NOT_FOUND', `Policy ${JSON.stringify(name)} has no level ${JSON.stringify(level)}.`);
  }
  const { shared } = declared;
  const sharing = policies.filter(
    (one) => shared !== undefined && one !== policy && one.levels.some((other) => other.shared === shared),
  );
  return { policy, index, declared, sharing };
}
