import { useQueryClient } from '@tanstack/react-query';
import { useLiveEvents } from '../_live/live-provider';
import { useTRPC } from '../_trpc/client';

interface Level {
  policy: string;
  level: string;
  windowMs: number;
}

/** The known windows at an instant. */
interface Windows {
  serverNow: number;
  windows: { policy: string; level: string; hits: number[] }[];
}

/**
 * Returns a function that finds the hits which filled a window when it refused: those known before, and those that
 * the next update adds.
 */
export function useRefusedHits(): (level: Level, refusedAt: number) => Promise<number[]> {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { latest, next } = useLiveEvents();

  return async function refusedHits(level, refusedAt) {
    const mine = trpc.limit.mine.queryOptions();
    const isShared = level.level === 'global';
    const before = isShared ? latest() : queryClient.getQueryData(mine.queryKey);
    const after = await (isShared ? next() : queryClient.fetchQuery({ ...mine, staleTime: 0 }));
    return joinHits({ before, after, level, refusedAt });
  };
}

interface Join {
  before: Windows | undefined;
  after: Windows;
  level: Level;
  refusedAt: number;
}

/**
 * Joins two readings of the hits. Redis's clock never runs backwards, so hits after the first reading are later than
 * it.
 */
export function joinHits({ before, after, level, refusedAt }: Join): number[] {
  const hitsIn = (known: Windows | undefined) =>
    known?.windows.find(({ policy, ...window }) => policy === level.policy && window.level === level.level)
      ?.hits ?? [];
  const since = before?.serverNow ?? 0;
  return [...hitsIn(before), ...hitsIn(after).filter((hit) => hit > since)].filter(
    (hit) => hit > refusedAt - level.windowMs && hit <= refusedAt,
  );
}
