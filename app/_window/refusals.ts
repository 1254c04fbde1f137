import { stopwatch } from '../_live/clock';
import { useLiveEvents, useServerClock } from '../_live/live-provider';
import type { RefusalMark } from '../_live/live-snapshot';
import { useViewer } from '../_shell/viewer-provider';
import { useTRPC } from '../_trpc/client';
import { useQuery, useQueryClient } from '../_trpc/query';
import type { RefusalData } from '../_trpc/types';
import type { CountedLevel } from './join-hits';

/** The level that refused. */
type RefusingLevel = Pick<RefusalData, 'policy' | 'level' | 'algorithm' | 'limit' | 'windowMs'>;

/** A refusal by a level. It closes all buttons of its policy until it ends. */
export interface PolicyRefusal extends RefusingLevel {
  /** The instant of the refusal on the server's clock. */
  refusedAt: number;
  retryAfterMs: number;
  /** The end of the refusal on the monotonic clock. */
  retryAt: number;
  /** The end of the ban on the server's clock. Absent: the window was full. */
  bannedUntil?: number | undefined;
  /** The hits that filled the window, oldest first; `undefined` until known. */
  hits?: number[];
}

/** Up to 300 ms: a window reopens for all visitors at once, and their calls should not arrive together. */
const randomDelayMs = () => Math.random() * 300;
/** Older marks kept per level when one is added. */
const MAX_MARKS = 200;
const noMarks: readonly RefusalMark[] = [];

/** The refusal to record. */
type NewRefusal = RefusingLevel &
  Pick<RefusalData, 'retryAfterMs'> &
  Partial<Pick<RefusalData, 'bannedUntil'>> & { count: number };

/** Returns a function that records refused calls of one limit at about one instant. */
export function useRecordRefusal(): (level: NewRefusal) => void {
  const queryClient = useQueryClient();
  const clock = useServerClock();
  const findFillingHits = useFillingHits();
  const { signOuts } = useViewer();

  return function recordRefusal({ count, bannedUntil, ...level }) {
    const key = refusalKey(level, signOuts);
    const refusedAt = clock.now();
    const waitMs = level.retryAfterMs + randomDelayMs();
    const refusal: PolicyRefusal = {
      ...level,
      bannedUntil: bannedUntil ?? undefined,
      refusedAt,
      retryAt: stopwatch.now() + waitMs,
    };
    queryClient.setQueryData(key, refusal);
    queryClient.setQueryData<RefusalMark[]>(refusalMarksKey(level, signOuts), (marks = []) => [
      ...marks.slice(-MAX_MARKS),
      { at: refusedAt, count },
    ]);
    void findFillingHits(level, refusedAt).then((hits) =>
      queryClient.setQueryData<PolicyRefusal>(key, (latest) =>
        latest?.refusedAt === refusedAt ? { ...latest, hits } : latest,
      ),
    );
  };
}

/** Returns the refusal by the `user` or `global` level that lasts longest, even if it has ended. */
export function usePolicyRefusal(policy: string): PolicyRefusal | undefined {
  const { signOuts } = useViewer();
  const own = useCached<PolicyRefusal>(refusalKey({ policy, level: 'user' }, signOuts));
  const shared = useCached<PolicyRefusal>(refusalKey({ policy, level: 'global' }, signOuts));
  return (shared?.retryAt ?? 0) > (own?.retryAt ?? 0) ? shared : own;
}

/** Returns the refusals of the visitor's own calls by a level, in this tab. */
export function useOwnRefusals(policy: string, level: string): readonly RefusalMark[] {
  const { signOuts } = useViewer();
  return useCached<readonly RefusalMark[]>(refusalMarksKey({ policy, level }, signOuts)) ?? noMarks;
}

/** Returns the cache key of a refusal. Global refusals are shared; others belong to the user. */
export function refusalKey({ policy, level }: Pick<RefusingLevel, 'policy' | 'level'>, signOuts: number) {
  return ['refusal', policy, level === 'global' ? 'everyone' : signOuts] as const;
}

function refusalMarksKey({ policy, level }: Pick<RefusingLevel, 'policy' | 'level'>, signOuts: number) {
  return ['refused-marks', policy, level, signOuts] as const;
}

function useCached<Kept>(queryKey: readonly unknown[]): Kept | undefined {
  return useQuery<Kept>({ queryKey, enabled: false, staleTime: Number.POSITIVE_INFINITY }).data;
}

/** Returns the element id of a window's name and count. */
export function meterId({ policy, level }: { policy: string; level: string }): string {
  return `window-${policy}-${level}`;
}

/**
 * Returns a function that finds the hits which filled a window when it refused: those known before, and those that
 * the next update adds.
 */
function useFillingHits(): (level: CountedLevel, refusedAt: number) => Promise<number[]> {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { latest, next } = useLiveEvents();

  return async function refusedHits(level, refusedAt) {
    const mine = trpc.limit.mine.queryOptions();
    const isShared = level.level === 'global';
    const before = isShared ? latest() : queryClient.getQueryData(mine.queryKey);
    const after = await (isShared ? next() : queryClient.fetchQuery({ ...mine, staleTime: 0 }));
    const { joinHits } = await import('./join-hits');
    return joinHits({ before, after, level, refusedAt });
  };
}
