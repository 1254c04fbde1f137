import type { Limiter } from '../limiter';
import type { PolicyRegistry } from './policy-registry';

interface EnforcedLevel {
  level: string;
  algorithm: string;
  limit: number;
  windowMs: number;
}

/** Returns the levels of a policy that refuse calls now, with their effective limits; none for an unknown policy. */
export function listEnforcedLevels(
  { limiter, policies }: { limiter: Pick<Limiter, 'effectivePolicy'>; policies: PolicyRegistry },
  name: string,
): EnforcedLevel[] {
  const policy = policies.find((one) => one.name === name);
  if (!policy) return [];
  return limiter
    .effectivePolicy(policy)
    .levels.filter(({ mode }) => mode === 'enforce')
    .map(({ level, algorithm, limit, windowMs }) => ({ level, algorithm, limit, windowMs }));
}
