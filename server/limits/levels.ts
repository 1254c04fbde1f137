import {
  applyOverride,
  type EffectiveLevel,
  type Limiter,
  type Mode,
  type Override,
  type ResolvedPolicy,
} from '../limiter/index';
import type { PolicyRegistry } from './policy-registry';

/** A level as operators see it. */
export interface ListedLevel {
  level: string;
  algorithm: string;
  /** The effective mode. */
  mode: Mode;
  declared: LimitValues;
  effective: LimitValues;
  onStoreError: string;
  /** True if all calls share one window, which has no top caller. */
  countsAll: boolean;
  /** Present if nodes take units in batches and spend them in process, within this time. */
  lease?: { forMs: number };
  /** The name of a shared level. A change of it applies to all policies with this name. */
  shared?: string;
  /** 0 as declared; increases with each change and each reset. */
  version: number;
}

interface LimitValues {
  limit: number;
  windowMs: number;
}

/** Returns a level with its declared and its effective values. */
export function toListedLevel(
  { onStoreError }: ResolvedPolicy<never>,
  declared: ResolvedPolicy<never>['levels'][number],
  { limit, windowMs, mode, version }: EffectiveValues,
): ListedLevel {
  return {
    level: declared.level,
    algorithm: declared.algorithm,
    mode,
    declared: { limit: declared.limit, windowMs: declared.windowMs },
    effective: { limit, windowMs },
    onStoreError,
    countsAll: declared.counts === 'all',
    ...(declared.lease && { lease: { forMs: declared.lease.forMs } }),
    ...(declared.shared !== undefined && { shared: declared.shared }),
    version,
  };
}

type EffectiveValues = Pick<EffectiveLevel, 'limit' | 'windowMs' | 'mode' | 'version'>;

/** Returns a level with its declared values and those of its new override. */
export function toOverriddenLevel(
  policy: ResolvedPolicy<never>,
  declared: ResolvedPolicy<never>['levels'][number],
  override: Override,
): ListedLevel {
  return toListedLevel(policy, declared, {
    ...applyOverride(declared, override),
    version: override.version,
  });
}

interface LevelOptions {
  limiter: Pick<Limiter, 'effectivePolicy'>;
  policies: PolicyRegistry;
}

interface EnforcedLevel extends LimitValues {
  level: string;
  algorithm: string;
}

/** Returns the levels of a policy that refuse calls now, with their effective limits; none for an unknown policy. */
export function listEnforcedLevels({ limiter, policies }: LevelOptions, name: string): EnforcedLevel[] {
  const policy = policies.find((one) => one.name === name);
  if (!policy) return [];
  return limiter
    .effectivePolicy(policy)
    .levels.filter(({ mode }) => mode === 'enforce' || mode === 'block')
    .map(({ level, algorithm, limit, windowMs }) => ({ level, algorithm, limit, windowMs }));
}

interface ShownLevel extends EnforcedLevel {
  policy: string;
  mode: string;
  /** Changes with each override of the level or of one of its subjects. */
  version: number;
}

/** Returns the effective limits of the levels `user` and `global` of all policies, which the sale shows. */
export function listShownLevels({ limiter, policies }: LevelOptions): ShownLevel[] {
  return policies.flatMap((policy) =>
    limiter
      .effectivePolicy(policy)
      .levels.filter(({ level }) => level === 'user' || level === 'global')
      .map(({ level, algorithm, limit, windowMs, mode, version }) => {
        return { policy: policy.name, level, algorithm, limit, windowMs, mode, version };
      }),
  );
}
