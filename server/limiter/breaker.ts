import { StoreUnavailableError } from './store-error';

export interface BreakerOptions {
  /** Silences in a row that open it. Default 3. */
  maxFailures?: number;
  /** How long it stays open at first, in ms; doubles with each probe that fails, up to `longestMs`. Default 100. */
  openMs?: number;
  /** Default 1000. */
  maxOpenMs?: number;
  /** Milliseconds of a clock that never runs backwards. Default: this process's. */
  clock?: () => number;
  /** From 0 up to 1. Default `Math.random`. */
  random?: () => number;
}

/** `open`: the store was silent, nobody waits for it. `half-open`: one call is finding out whether it is back. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** Keeps calls from waiting for a store that does not answer. */
export interface Breaker {
  /** Asks, unless the breaker is open: then rejects at once with a `StoreUnavailableError`. */
  run<Answer>(ask: () => Promise<Answer>): Promise<Answer>;
  state(): BreakerState;
}

/**
 * A circuit breaker (Nygard, "Release It!", 2007). Only silence and lost connections open it: a store that answers
 * with an error costs nobody any waiting. Open times are jittered between half and all of their length, so that the
 * nodes of a fleet do not probe in step.
 */
export function createBreaker({
  maxFailures: failures = 3,
  openMs = 100,
  maxOpenMs: longestMs = 1000,
  clock = () => performance.now(),
  random = Math.random,
}: BreakerOptions = {}): Breaker {
  let failed = 0;
  let waitMs = openMs;
  let opensAgainAt = 0;
  let probing = false;

  const isOpen = () => failed >= failures;

  function onFailure(wasProbe: boolean): void {
    failed += 1;
    if (!isOpen()) return;
    // Calls that were under way when it opened fail later, and must not prolong it.
    if (failed > failures && !wasProbe) return;
    opensAgainAt = clock() + waitMs * (0.5 + random() / 2);
    waitMs = Math.min(longestMs, waitMs * 2);
  }

  function onAnswer(): void {
    failed = 0;
    waitMs = openMs;
  }

  return {
    async run(ask) {
      const wasProbe = isOpen();
      if (wasProbe) {
        if (probing || clock() < opensAgainAt)
          throw new StoreUnavailableError('the store was silent just now', { kind: 'breaker-open' });
        probing = true;
      }
      try {
        const answer = await ask();
        onAnswer();
        return answer;
      } catch (error) {
        if (isNoReply(error)) onFailure(wasProbe);
        else onAnswer();
        throw error;
      } finally {
        if (wasProbe) probing = false;
      }
    },
    state() {
      if (!isOpen()) return 'closed';
      return probing ? 'half-open' : 'open';
    },
  };
}

/** Whether the store sent no reply at all: only that costs callers time. */
function isNoReply(error: unknown): boolean {
  return error instanceof StoreUnavailableError && error.hasNoReply;
}
