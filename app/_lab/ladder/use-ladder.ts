import { useCallback, useState } from 'react';
import { stopwatch } from '../../_live/clock';
import { useNow } from '../../_live/use-now';
import { useTRPCClient } from '../../_trpc/client';
import { type Problem, problemOf } from '../../_trpc/problem';
import { answerOf, type Standing, standingAt, type TapAnswer } from './ladder';

/** So many answers are shown; the standing needs only the newest refusal. */
const keptAnswers = 50;

interface Ladder {
  tap(): Promise<void>;
  /** Oldest first. */
  answers: readonly TapAnswer[];
  standing: Standing;
  now: number;
  /** Why the last tap brought no answer, where it was not the limit. */
  problem: Problem | undefined;
}

/** Taps on a button whose policy punishes, and how the visitor stands to it. */
export function useLadder(): Ladder {
  const client = useTRPCClient();
  const [answers, setAnswers] = useState<readonly TapAnswer[]>([]);
  const [problem, setProblem] = useState<Problem>();
  const nextAt = useCallback(
    (now: number) => {
      const { bannedUntil, lapsesAt, openAt } = standingAt(now, answers);
      const ends = [bannedUntil, lapsesAt, openAt].filter((end) => end !== undefined);
      // Each end is counted down in whole seconds of its own.
      const next = ends.map((end) => end - (Math.ceil((end - now) / 1_000) - 1) * 1_000);
      return next.length > 0 ? Math.min(...next) : undefined;
    },
    [answers],
  );
  const now = useNow({ clock: stopwatch, initial: answers.at(-1)?.at ?? 0, nextAt });

  async function tap(): Promise<void> {
    const note = (answer: TapAnswer) => setAnswers((before) => [...before, answer].slice(-keptAnswers));
    try {
      await client.lab.tap.mutate();
      note({ at: stopwatch.now(), outcome: 'admitted' });
      setProblem(undefined);
    } catch (error) {
      const found = problemOf(error);
      if (found.kind === 'refused') note(answerOf(stopwatch.now(), found.refusal));
      setProblem(found.kind === 'refused' ? undefined : found);
    }
  }

  return { tap, answers, standing: standingAt(now, answers), now, problem };
}
