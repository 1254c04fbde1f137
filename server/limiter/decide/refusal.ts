import type { ResolvedPolicy } from '../policy/policy';
import type { Refused } from './decision';

/** The error data of a refusal, as `error.data.rateLimit`. */
export interface RateLimitErrorData {
  policy: string;
  level: string;
  algorithm: string;
  reason: Refused['reason'];
  limit: number;
  windowMs: number;
  remaining: number;
  /** Of the named level, see `LevelState.retryAfterMs`; null if the level is blocked. */
  retryAfterMs: number | null;
  /** Refusals by this level that have not lapsed; only if it punishes. */
  violations?: number;
  /** True from the violation `warnAt` on; only if the level punishes. */
  warning?: boolean;
  /** Epoch ms; null without an active ban. */
  bannedUntil: number | null;
}

/** Returns the text of a refusal: that of the level that refused, else of the policy. `en` replaces a missing language. */
export function refusalText<Context>(
  { levels, message: common }: Pick<ResolvedPolicy<Context>, 'message' | 'levels'>,
  { decision, language }: { decision: Refused; language: string },
): string {
  const message = levels.find(({ level }) => level === decision.refusedBy.level)?.message ?? common;
  return (Object.hasOwn(message, language) ? message[language] : undefined) ?? message.en;
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
