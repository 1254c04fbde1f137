import type { Decision, LevelState } from './decision';

/** Set to `1` if a call was decided without the store. */
const DEGRADED = 'floodgate-degraded';

/**
 * Returns the header fields of a response from the decisions of its calls, one or a whole batch.
 *
 * `RateLimit-Policy` and `RateLimit` follow draft-ietf-httpapi-ratelimit-headers-11, one item per level, named
 * `policy:level`. If several calls used one level, its tightest state is sent. Times are in
 * seconds, rounded up. Calls in flight have no window, and the quota unit `concurrent-requests`. `t` is the time until more quota returns (sections on RateLimit of that draft): for a log, until its oldest hit
 * leaves. A refusal sends the level that refused and adds `Retry-After`; a batch sends the longest.
 */
export function rateLimitHeaders(decisions: readonly Decision[]): Record<string, string> {
  const headers: Record<string, string> = {};
  const tightest = new Map<string, LevelState>();
  let retryAfterMs = 0;

  // The calls of a batch are decided in any order. The headers have a fixed order.
  const ordered =
    decisions.length > 1
      ? decisions.toSorted((one, other) =>
          one.policy < other.policy ? -1 : Number(one.policy > other.policy),
        )
      : decisions;
  for (const decision of ordered) {
    if (decision.degraded) headers[DEGRADED] = '1';
    if (!decision.allowed) retryAfterMs = Math.max(retryAfterMs, decision.refusedBy.retryAfterMs);
    for (const level of decision.allowed ? decision.levels : [decision.refusedBy]) {
      const name = `${decision.policy}:${level.level}`;
      const known = tightest.get(name);
      if (!known || isTighter(level, known)) tightest.set(name, level);
    }
  }

  if (tightest.size > 0) {
    const items = [...tightest];
    headers['ratelimit-policy'] = items
      .map(([name, level]) => `"${name}";q=${level.limit};${formatUnit(level)}`)
      .join(', ');
    headers.ratelimit = items
      .map(([name, level]) => {
        const returnsMs = level.retryAfterMs || level.resetMs;
        return `"${name}";r=${level.remaining}${returnsMs > 0 ? `;t=${seconds(returnsMs)}` : ''}`;
      })
      .join(', ');
  }
  if (retryAfterMs > 0) headers['retry-after'] = String(seconds(retryAfterMs));
  return headers;
}

/** Returns the window of a level, or the quota unit of calls in flight. */
function formatUnit({ algorithm, windowMs }: LevelState): string {
  return algorithm === 'in-flight' ? 'qu="concurrent-requests"' : `w=${seconds(windowMs)}`;
}

function isTighter(level: LevelState, than: LevelState): boolean {
  if (level.remaining !== than.remaining) return level.remaining < than.remaining;
  return level.retryAfterMs > than.retryAfterMs;
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
