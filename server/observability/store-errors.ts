import type { Finding, Health } from '../finding';
import type { Log } from './log';

/** A call to Redis that failed. */
export interface StoreFailure {
  /** One of a closed list, because it is a metric's label. */
  kind: string;
  /** True if Redis sent no reply. */
  hasNoReply: boolean;
  error: Error;
}

/** The failed calls of this node to Redis. */
export interface StoreErrors {
  /** Counts a failure once, even if several parts of the node report it, and logs it sampled. */
  observe(failure: StoreFailure): void;
  /** Returns the error replies of the last minute, by kind. The answer is public, so only the log has the causes. */
  health(): Promise<Health>;
}

const SECOND = 1_000;
const RECENT_SECONDS = 60;

/**
 * Creates the store errors. An error reply of Redis points to a fault in a script, the permissions, the memory or a key.
 * It is fast and opens no breaker, so nothing else would show it. The first failure of a kind is logged at once, then at
 * most one line every 10 s. `failed` is the number of failures that a line stands for.
 */
export function createStoreErrors({
  log,
  countStoreError,
  everyMs = 10 * SECOND,
  now = () => performance.now(),
}: {
  log: Pick<Log, 'error' | 'warn'>;
  /** Counts a failure by its kind. */
  countStoreError: (kind: string) => void;
  /** Minimum time between two lines of one kind, in ms. Default: 10 s. */
  everyMs?: number;
  /** Milliseconds of a monotonic clock. Default: this process's. */
  now?: () => number;
}): StoreErrors {
  const observed = new WeakSet<Error>();
  const samples = new Map<string, { nextAt: number; failed: number }>();
  /** Number of error replies by kind and second. */
  const recent = new Map<string, Map<number, number>>();

  function countRecent(kind: string): void {
    const second = Math.floor(now() / SECOND);
    const seconds = recent.get(kind) ?? new Map<number, number>();
    recent.set(kind, seconds.set(second, (seconds.get(second) ?? 0) + 1));
    for (const old of seconds.keys()) if (old <= second - RECENT_SECONDS) seconds.delete(old);
  }

  function logSampled({ kind, hasNoReply, error }: StoreFailure): void {
    const sample = samples.get(kind) ?? { nextAt: -Infinity, failed: 0 };
    samples.set(kind, sample);
    sample.failed += 1;
    if (now() < sample.nextAt) return;
    const fields = { err: error, kind, failed: sample.failed };
    if (hasNoReply) log.warn(fields, 'Redis did not reply.');
    else log.error(fields, 'Redis replied with an error.');
    sample.nextAt = now() + everyMs;
    sample.failed = 0;
  }

  return {
    observe(failure) {
      if (observed.has(failure.error)) return;
      observed.add(failure.error);
      countStoreError(failure.kind);
      if (!failure.hasNoReply) countRecent(failure.kind);
      logSampled(failure);
    },

    async health() {
      const since = Math.floor(now() / SECOND) - RECENT_SECONDS;
      const counts = [...recent].flatMap(([kind, seconds]) => {
        const replies = [...seconds].reduce(
          (sum, [second, errors]) => sum + (second > since ? errors : 0),
          0,
        );
        return replies > 0 ? [`${replies} × ${kind}`] : [];
      });
      if (counts.length === 0) {
        const findings: Finding[] = [{ code: 'no-error-replies' }];
        return { ok: true, detail: 'no error replies in the last minute', findings };
      }
      return {
        ok: false,
        findings: [{ code: 'error-replies', values: { counts: counts.join(', ') } }],
        detail: `error replies in the last minute: ${counts.join(', ')}; the log has the causes`,
      };
    },
  };
}
