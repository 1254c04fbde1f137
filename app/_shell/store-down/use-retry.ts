import { useCallback, useEffect, useRef, useState } from 'react';
import { stopwatch } from '../../_live/clock';
import { useCountdown } from '../../_live/use-now';
import { FIRST_DELAY_MS, getRetryDelayMs } from './retry-delay';

interface Retry {
  /** Whole seconds until the next retry. */
  retryInSeconds: number;
  /** The full length of that wait. */
  waitMs: number;
  isRetrying: boolean;
  retryNow(): void;
}

/** Retries at growing intervals while the page is visible. The first wait is `firstWaitMs`; default: 3.75 to 5 s. */
export function useRetry(retry: () => Promise<unknown>, firstWaitMs?: number): Retry {
  const [attempts, setAttempts] = useState(0);
  const [isRetrying, setIsRetrying] = useState(false);
  const [next, setNext] = useState<{ at: number; waitMs: number }>();
  const firstMs = firstWaitMs ?? FIRST_DELAY_MS;
  const latest = useRef(retry);
  const retryInSeconds = useCountdown({ clock: stopwatch, until: next?.at });

  useEffect(() => {
    latest.current = retry;
  }, [retry]);

  const retryNow = useCallback(() => {
    setIsRetrying(true);
    void latest.current().finally(() => {
      setIsRetrying(false);
      setAttempts((count) => count + 1);
    });
  }, []);

  useEffect(() => {
    if (isRetrying) return;
    const waitMs = (attempts === 0 ? firstWaitMs : undefined) ?? getRetryDelayMs(attempts);
    setNext({ at: stopwatch.now() + waitMs, waitMs });
    let cancel: (() => void) | undefined;
    const timer = setTimeout(() => {
      cancel = runWhenVisible(retryNow);
    }, waitMs);
    return () => {
      clearTimeout(timer);
      cancel?.();
    };
  }, [attempts, isRetrying, retryNow, firstWaitMs]);

  return {
    retryInSeconds: next ? retryInSeconds : Math.ceil(firstMs / 1_000),
    waitMs: next?.waitMs ?? firstMs,
    isRetrying,
    retryNow,
  };
}

/** Runs a function now, or as soon as the page is visible. Returns a function that cancels it. */
function runWhenVisible(act: () => void): () => void {
  const abort = new AbortController();
  const runIfVisible = () => {
    if (document.visibilityState === 'hidden') return;
    abort.abort();
    act();
  };
  document.addEventListener('visibilitychange', runIfVisible, { signal: abort.signal });
  runIfVisible();
  return () => abort.abort();
}
