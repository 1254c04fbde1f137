import { useCallback, useState } from 'react';
import { stopwatch } from '../../_live/clock';
import { useNow } from '../../_live/use-now';
import { useTRPCClient } from '../../_trpc/client';
import { type Problem, problemOf } from '../../_trpc/problem';
import { getLadderState, type LadderState, type TapResult, toTapResult } from './ladder';

/** Kept results. The state needs only the newest refusal. */
const MAX_RESULTS = 50;

interface Ladder {
  tap(): Promise<void>;
  /** Oldest first. */
  results: readonly TapResult[];
  state: LadderState;
  now: number;
  /** Error of the last tap, except a refusal by the limit. */
  problem: Problem | undefined;
}

/** Sends taps to the button's policy and tracks the visitor's state. */
export function useLadder(): Ladder {
  const client = useTRPCClient();
  const [results, setResults] = useState<readonly TapResult[]>([]);
  const [problem, setProblem] = useState<Problem>();
  const nextAt = useCallback(
    (now: number) => {
      const { bannedUntil, lapsesAt, openAt } = getLadderState(now, results);
      const ends = [bannedUntil, lapsesAt, openAt].filter((end) => end !== undefined);
      // Each countdown shows whole seconds.
      const next = ends.map((end) => end - (Math.ceil((end - now) / 1_000) - 1) * 1_000);
      return next.length > 0 ? Math.min(...next) : undefined;
    },
    [results],
  );
  const now = useNow({ clock: stopwatch, initial: results.at(-1)?.at ?? 0, nextAt });

  async function tap(): Promise<void> {
    const addResult = (result: TapResult) => setResults((before) => [...before, result].slice(-MAX_RESULTS));
    try {
      await client.lab.tap.mutate();
      addResult({ at: stopwatch.now(), outcome: 'admitted' });
      setProblem(undefined);
    } catch (error) {
      const found = problemOf(error);
      if (found.kind === 'refused') addResult(toTapResult(stopwatch.now(), found.refusal));
      setProblem(found.kind === 'refused' ? undefined : found);
    }
  }

  return { tap, results, state: getLadderState(now, results), now, problem };
}
