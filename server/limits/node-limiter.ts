import type { Limiter, ResolvedPolicy } from '../limiter/index';

type LimiterPolicy = Parameters<Limiter['effectivePolicy']>[0];

/**
 * Joins two limiters. The policies of `ownPolicies` are decided in the memory of this node, without a round trip and
 * independently of Redis; all others in Redis. The own policies may neither punish nor have a queue. A change of one of
 * their overrides, also by `limit.clear`, empties all their windows on each node.
 */
export function createNodeLimiter({
  shared,
  own,
  ownPolicies,
}: {
  shared: Limiter;
  own: Limiter;
  ownPolicies: readonly ResolvedPolicy<never>[];
}): Limiter {
  const ownNames = new Set(ownPolicies.map(({ name }) => name));
  const isOwn = ({ policy }: { policy: string }) => ownNames.has(policy);
  const limiterOf = ({ name }: LimiterPolicy) => (name !== undefined && ownNames.has(name) ? own : shared);
  /** Of each own policy, the sum of the versions of its overrides. */
  const versions = new Map<string, number>();

  function clearChanged(overrides: readonly { policy: string; version?: number }[]): void {
    for (const policy of ownPolicies) {
      const sum = overrides.reduce(
        (sum, one) => sum + (one.policy === policy.name ? (one.version ?? 0) : 0),
        0,
      );
      if ((versions.get(policy.name) ?? 0) !== sum) void own.reset(policy);
      versions.set(policy.name, sum);
    }
  }

  return {
    ...shared,
    check: (policy, call) => limiterOf(policy).check(policy, call),
    decide: (policy, options) => limiterOf(policy).decide(policy, options),
    cachedRefusal: (policy, options) => limiterOf(policy).cachedRefusal(policy, options),
    peek: (policy, subjects, options) => limiterOf(policy).peek(policy, subjects, options),
    peekByPseudonym: (policy, options) => limiterOf(policy).peekByPseudonym(policy, options),
    clear: (policy, window) => limiterOf(policy).clear(policy, window),
    reset: (policy) => limiterOf(policy).reset(policy),
    effectivePolicy: (policy) => limiterOf(policy).effectivePolicy(policy),
    setOverrides(overrides, persons = []) {
      shared.setOverrides(
        overrides.filter((one) => !isOwn(one)),
        persons.filter((one) => !isOwn(one)),
      );
      own.setOverrides(overrides.filter(isOwn), persons.filter(isOwn));
      clearChanged(overrides);
    },
    changeOverrides(overrides, persons) {
      shared.changeOverrides(
        overrides.filter((one) => !isOwn(one)),
        persons.filter((one) => !isOwn(one)),
      );
      own.changeOverrides(overrides.filter(isOwn), persons.filter(isOwn));
      clearChanged(overrides);
    },
    subscribe(observer) {
      const endings = [shared.subscribe(observer), own.subscribe(observer)];
      return () => {
        for (const end of endings) end();
      };
    },
    async close() {
      await Promise.all([shared.close(), own.close()]);
    },
  };
}
