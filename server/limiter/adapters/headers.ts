import type { BlockedLevel, Decision, LevelState } from '../decide/decision';
import { LimiterOptionError } from '../options';

/**
 * The header fields of a response. `draft-11`: those of `rateLimitHeaders`. `legacy`: `X-RateLimit-Limit`,
 * `X-RateLimit-Remaining` and `X-RateLimit-Reset` (epoch seconds at which more quota returns) of the level with the fewest
 * remaining units. `false`: none. A refusal has `Retry-After` in all of them.
 */
export type HeaderFormat = 'draft-11' | 'legacy' | false;

/** Throws a `LimiterOptionError` if the option `headers` of a function is no format. */
export function validateHeaderFormat(name: string, format: unknown): void {
  if (format === undefined || format === 'draft-11' || format === 'legacy' || format === false) return;
  throw new LimiterOptionError('headers', format, 'Use "draft-11", "legacy" or false.', name);
}

/**
 * Returns the header fields of a response from the decisions of its calls, one or a whole batch. Default: `draft-11`.
 *
 * `RateLimit-Policy` and `RateLimit` follow draft-ietf-httpapi-ratelimit-headers-11, one item per level, named
 * `policy:level`. If several calls used one level, its tightest state is sent. Times are in
 * seconds, rounded up. Calls in flight have no window, and the quota unit `concurrent-requests`. `t` is the time until more quota returns (sections on RateLimit of that draft): for a log, until its oldest hit
 * leaves. A refusal sends the level that refused and adds `Retry-After`, unless the level is blocked; a batch sends the
 * longest. `floodgate-degraded` is `1` if a call was decided without the store.
 */
export function rateLimitHeaders(
  decisions: readonly Decision[],
  format: HeaderFormat = 'draft-11',
): Record<string, string> {
  const headers: Record<string, string> = {};
  let retryAfterMs = 0;
  for (const decision of decisions) {
    if (decision.degraded && format) headers['floodgate-degraded'] = '1';
    if (!decision.allowed) retryAfterMs = Math.max(retryAfterMs, decision.retryAfterMs ?? 0);
  }
  if (format === 'draft-11') addItems(headers, decisions);
  if (format === 'legacy') addTightest(headers, decisions);
  if (retryAfterMs > 0) headers['retry-after'] = String(seconds(retryAfterMs));
  return headers;
}

/** Adds `RateLimit-Policy` and `RateLimit`. */
function addItems(headers: Record<string, string>, decisions: readonly Decision[]): void {
  let policyItems = '';
  let items = '';
  for (const [name, level] of decisions.length === 1 ? statesOf(decisions[0]) : tightestStates(decisions)) {
    const separator = items === '' ? '' : ', ';
    const returnsMs = level.retryAfterMs || level.resetMs;
    policyItems += `${separator}"${name}";q=${level.limit};${formatUnit(level)}`;
    items += `${separator}"${name}";r=${level.remaining}${returnsMs > 0 ? `;t=${seconds(returnsMs)}` : ''}`;
  }
  if (items !== '') {
    headers['ratelimit-policy'] = policyItems;
    headers.ratelimit = items;
  }
}

/** Adds the fields of `legacy`. */
function addTightest(headers: Record<string, string>, decisions: readonly Decision[]): void {
  let tightest: { level: SentState; now: number } | undefined;
  for (const decision of decisions) {
    for (const [, level] of statesOf(decision))
      if (!tightest || isTighter(level, tightest.level)) tightest = { level, now: decision.now };
  }
  if (!tightest) return;
  const { level, now } = tightest;
  const returnsMs = level.retryAfterMs || level.resetMs;
  headers['x-ratelimit-limit'] = String(level.limit);
  headers['x-ratelimit-remaining'] = String(level.remaining);
  if (returnsMs > 0) headers['x-ratelimit-reset'] = String(seconds(now + returnsMs));
}

type SentState = LevelState | BlockedLevel;
type NamedState = readonly [name: string, level: SentState];

function statesOf(decision: Decision | undefined): NamedState[] {
  if (!decision) return [];
  const levels = decision.allowed ? decision.levels : [decision.refusedBy];
  return levels.map((level) => [`${decision.policy}:${level.level}`, level]);
}

/** Returns the tightest state of each level. The calls of a batch are decided in any order; the headers have a fixed one. */
function tightestStates(decisions: readonly Decision[]): Iterable<NamedState> {
  const tightest = new Map<string, SentState>();
  const ordered = decisions.toSorted((one, other) =>
    one.policy < other.policy ? -1 : Number(one.policy > other.policy),
  );
  for (const [name, level] of ordered.flatMap(statesOf)) {
    const known = tightest.get(name);
    if (!known || isTighter(level, known)) tightest.set(name, level);
  }
  return tightest;
}

function formatUnit({ algorithm, windowMs }: SentState): string {
  return algorithm === 'in-flight' ? 'qu="concurrent-requests"' : `w=${seconds(windowMs)}`;
}

function isTighter(level: SentState, than: SentState): boolean {
  if (level.remaining !== than.remaining) return level.remaining < than.remaining;
  return waitMs(level) > waitMs(than);
}

/** Returns the time until the level admits a unit; infinite if it is blocked. */
function waitMs({ retryAfterMs }: SentState): number {
  return retryAfterMs ?? Number.POSITIVE_INFINITY;
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
