import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { stopwatch } from '../_live/clock';
import { useServerClock } from '../_live/live-provider';
import type { RefusalMark } from '../_live/live-snapshot';
import { useViewer } from '../_shell/viewer-provider';
import type { RefusalData } from '../_trpc/types';
import { useRefusedHits } from './use-refused-hits';

export type Rule = Pick<RefusalData, 'policy' | 'level' | 'algorithm' | 'limit' | 'windowMs'>;

/** A refusal that closes all buttons of its policy until it ends. */
export interface ActiveRefusal extends Rule {
  /** The instant of the refusal on the server's clock. */
  refusedAt: number;
  retryAfterMs: number;
  /** The end of the refusal on the monotonic clock. */
  againAt: number;
  /** The hits that filled the window, oldest first; `undefined` until known. */
  hits?: number[];
}

/** A random delay, because a window reopens for all visitors at once. */
const jitterMs = () => Math.random() * 300;
/** Marks kept per level. */
const MAX_MARKS = 200;
const noMarks: readonly RefusalMark[] = [];

/** Returns the cache key of a refusal. Global refusals are shared; others belong to the user. */
export function refusalKey({ policy, level }: Pick<Rule, 'policy' | 'level'>, signOuts: number) {
  return ['refusal', policy, level === 'global' ? 'everyone' : signOuts] as const;
}

function refusalMarksKey({ policy, level }: Pick<Rule, 'policy' | 'level'>, signOuts: number) {
  return ['refused-marks', policy, level, signOuts] as const;
}

/** Returns a function that records refused calls of one limit at about one instant. */
export function useRecordRefusal(): (rule: Rule & { retryAfterMs: number; count: number }) => void {
  const queryClient = useQueryClient();
  const clock = useServerClock();
  const refusedHits = useRefusedHits();
  const { signOuts } = useViewer();

  return function noteRefusal({ count, ...rule }) {
    const key = refusalKey(rule, signOuts);
    const refusedAt = clock.now();
    const again = rule.retryAfterMs + jitterMs();
    const refusal: ActiveRefusal = { ...rule, refusedAt, againAt: stopwatch.now() + again };
    queryClient.setQueryData(key, refusal);
    queryClient.setQueryData<RefusalMark[]>(refusalMarksKey(rule, signOuts), (marks = []) => [
      ...marks.slice(-MAX_MARKS),
      { at: refusedAt, count },
    ]);
    void refusedHits(rule, refusedAt).then((hits) =>
      queryClient.setQueryData<ActiveRefusal>(key, (latest) =>
        latest?.refusedAt === refusedAt ? { ...latest, hits } : latest,
      ),
    );
  };
}

/** Returns the refusal of a policy that lasts longest, even if it has ended. */
export function useActiveRefusal(policy: string): ActiveRefusal | undefined {
  const { signOuts } = useViewer();
  const own = useCached<ActiveRefusal>(refusalKey({ policy, level: 'user' }, signOuts));
  const shared = useCached<ActiveRefusal>(refusalKey({ policy, level: 'global' }, signOuts));
  return (shared?.againAt ?? 0) > (own?.againAt ?? 0) ? shared : own;
}

/** Returns the refusals of the visitor's own calls by a level, in this tab. */
export function useOwnRefusals(policy: string, level: string): readonly RefusalMark[] {
  const { signOuts } = useViewer();
  return useCached<readonly RefusalMark[]>(refusalMarksKey({ policy, level }, signOuts)) ?? noMarks;
}

function useCached<Kept>(queryKey: readonly unknown[]): Kept | undefined {
  return useQuery<Kept>({ queryKey, queryFn: skipToken, staleTime: Number.POSITIVE_INFINITY }).data;
}
