import { useCallback, useEffect, useRef, useState } from 'react';
import { stopwatch } from '../../_live/clock';
import { useCountdown } from '../../_live/use-countdown';
import { firstWaitMs as usualFirstWaitMs, waitAfter } from './waits';
import { whenSeen } from './when-seen';

interface AskingAgain {
  /** Whole seconds until it is asked next. */
  inSeconds: number;
  /** How long that wait is in all. */
  waitMs: number;
  isAsking: boolean;
  askNow(): void;
}

/**
 * Asks again and again, ever more rarely, as long as it is on the page and the page is being looked at. First after
 * `firstWaitMs`; default: 5 s, up to a quarter less.
 */
export function useAskAgain(ask: () => Promise<unknown>, firstWaitMs?: number): AskingAgain {
  const [answers, setAnswers] = useState(0);
  const [isAsking, setIsAsking] = useState(false);
  const [next, setNext] = useState<{ at: number; waitMs: number }>();
  const firstMs = firstWaitMs ?? usualFirstWaitMs;
  const latest = useRef(ask);
  const inSeconds = useCountdown({ clock: stopwatch, until: next?.at });

  useEffect(() => {
    latest.current = ask;
  }, [ask]);

  const askNow = useCallback(() => {
    setIsAsking(true);
    void latest.current().finally(() => {
      setIsAsking(false);
      setAnswers((count) => count + 1);
    });
  }, []);

  useEffect(() => {
    if (isAsking) return;
    const waitMs = (answers === 0 ? firstWaitMs : undefined) ?? waitAfter(answers);
    setNext({ at: stopwatch.now() + waitMs, waitMs });
    let forget: (() => void) | undefined;
    const timer = setTimeout(() => {
      forget = whenSeen(askNow);
    }, waitMs);
    return () => {
      clearTimeout(timer);
      forget?.();
    };
  }, [answers, isAsking, askNow, firstWaitMs]);

  return {
    inSeconds: next ? inSeconds : Math.ceil(firstMs / 1_000),
    waitMs: next?.waitMs ?? firstMs,
    isAsking,
    askNow,
  };
}
