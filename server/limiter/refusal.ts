import type { Refused } from './decision';

/** The error data of a refusal, as `error.data.rateLimit`. */
export interface RateLimitErrorData {
  policy: string;
  level: string;
  algorithm: string;
  reason: 'limited' | 'banned';
  limit: number;
  windowMs: number;
  remaining: number;
  /** Of the named level. See `LevelState.retryAfterMs`. */
  retryAfterMs: number;
  /** Refusals by this level that have not lapsed; only if it punishes. */
  violations?: number;
  /** True from the violation `warnAt` on; only if the level punishes. */
  warning?: boolean;
  /** Epoch ms; null without an active ban. */
  bannedUntil: number | null;
}

/** Returns the error data of a refusal. */
export function refusalData({ policy, reason, refusedBy }: Refused): RateLimitErrorData {
  const { punished } = refusedBy;
  return {
    policy,
    level: refusedBy.level,
    algorithm: refusedBy.algorithm,
    reason,
    limit: refusedBy.limit,
    windowMs: refusedBy.windowMs,
    remaining: refusedBy.remaining,
    retryAfterMs: refusedBy.retryAfterMs,
    ...(punished && { violations: punished.violations, warning: punished.warning }),
    bannedUntil: punished?.bannedUntil ?? null,
  };
}
