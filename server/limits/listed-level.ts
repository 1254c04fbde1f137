import type { EffectiveLevel, Override, ResolvedPolicy } from '../limiter';

/** A level as operators see it. */
export interface ListedLevel {
  level: string;
  algorithm: string;
  /** In force now. */
  mode: string;
  declared: Numbers;
  effective: Numbers;
  onStoreError: string;
  /** 0 as declared; grows with each change, resets among them. */
  version: number;
}

interface Numbers {
  limit: number;
  windowMs: number;
}

/** A level of a policy with what is in force of it. */
export function listedLevel(
  { onStoreError }: ResolvedPolicy<never>,
  declared: ResolvedPolicy<never>['levels'][number],
  { limit, windowMs, mode, version }: InForce,
): ListedLevel {
  return {
    level: declared.level,
    algorithm: declared.algorithm,
    mode,
    declared: { limit: declared.limit, windowMs: declared.windowMs },
    effective: { limit, windowMs },
    onStoreError,
    version,
  };
}

type InForce = Pick<EffectiveLevel<never>, 'limit' | 'windowMs' | 'mode' | 'version'>;

/** A level as it is in force under an override. */
export function underOverride(
  declared: ResolvedPolicy<never>['levels'][number],
  { limit = declared.limit, windowMs = declared.windowMs, mode = declared.mode, version }: Override,
): InForce {
  return { limit, windowMs, mode, version };
}
