import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { stopwatch } from '../_live/clock';
import { useServerClock } from '../_live/live-provider';
import type { RefusedMark } from '../_live/live-snapshot';
import { useViewer } from '../_shell/viewer-provider';
import type { RefusalData } from '../_trpc/types';
import { useRefusedHits } from './use-refused-hits';

export type Rule = Pick<RefusalData, 'policy' | 'level' | 'algorithm' | 'limit' | 'windowMs'>;

/** A refusal that closes every button of its policy until it is over. */
export interface StandingRefusal extends Rule {
  /** The instant of the refusal, by the server's clock. */
  refusedAt: number;
  retryAfterMs: number;
  /** The instant of the stopwatch at which the buttons open again. */
  againAt: number;
  /** The hits that filled the window, oldest first; `undefined` until they are known. */
  hits?: number[];
}

/** A closed gate opens for everybody at one moment; a little chance keeps them from coming all at once. */
const jitterMs = () => Math.random() * 300;
/** Marks are of no use once they are older than any window that is drawn. */
const mostMarks = 200;
const noMarks: readonly RefusedMark[] = [];

/** Whose refusals they are: everybody's are one, one's own go with the person. They live where answers are kept. */
export function keyOf({ policy, level }: Pick<Rule, 'policy' | 'level'>, departures: number) {
  return ['refusal', policy, level === 'global' ? 'everyone' : departures] as const;
}

function marksKeyOf({ policy, level }: Pick<Rule, 'policy' | 'level'>, departures: number) {
  return ['refused-marks', policy, level, departures] as const;
}

/** Takes note that calls were refused, all of them by one rule at about one moment. */
export function useNoteRefusal(): (rule: Rule & { retryAfterMs: number; count: number }) => void {
  const queryClient = useQueryClient();
  const clock = useServerClock();
  const refusedHits = useRefusedHits();
  const { departures } = useViewer();

  return function noteRefusal({ count, ...rule }) {
    const key = keyOf(rule, departures);
    const refusedAt = clock.now();
    const again = rule.retryAfterMs + jitterMs();
    const refusal: StandingRefusal = { ...rule, refusedAt, againAt: stopwatch.now() + again };
    queryClient.setQueryData(key, refusal);
    queryClient.setQueryData<RefusedMark[]>(marksKeyOf(rule, departures), (marks = []) => [
      ...marks.slice(-mostMarks),
      { at: refusedAt, count },
    ]);
    void refusedHits(rule, refusedAt).then((hits) =>
      queryClient.setQueryData<StandingRefusal>(key, (latest) =>
        latest?.refusedAt === refusedAt ? { ...latest, hits } : latest,
      ),
    );
  };
}

/** The refusal that keeps a policy's buttons closed longest, also when it is over already. */
export function useStandingRefusal(policy: string): StandingRefusal | undefined {
  const { departures } = useViewer();
  const own = useKept<StandingRefusal>(keyOf({ policy, level: 'user' }, departures));
  const shared = useKept<StandingRefusal>(keyOf({ policy, level: 'global' }, departures));
  return (shared?.againAt ?? 0) > (own?.againAt ?? 0) ? shared : own;
}

/** What a level has refused of the visitor's own calls, in this tab. */
export function useOwnRefused(policy: string, level: string): readonly RefusedMark[] {
  const { departures } = useViewer();
  return useKept<readonly RefusedMark[]>(marksKeyOf({ policy, level }, departures)) ?? noMarks;
}

function useKept<Kept>(queryKey: readonly unknown[]): Kept | undefined {
  return useQuery<Kept>({ queryKey, queryFn: skipToken, staleTime: Number.POSITIVE_INFINITY }).data;
}
