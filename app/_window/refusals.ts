import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { stopwatch } from '../_live/clock';
import { useLiveEvents, useServerClock } from '../_live/live-provider';
import { noMarks, type RefusalMark } from '../_live/refusal-marks';
import { useTRPC } from '../_trpc/client';
import type { RefusalData } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';

/** The level that refused. */
type RefusingLevel = Pick<RefusalData, 'policy' | 'level' | 'algorithm' | 'limit' | 'windowMs'>;

/** A refusal by a level. It closes all buttons of its policy until it ends. */
export interface PolicyRefusal extends RefusingLevel {
  /** The instant of the refusal on the server's clock. */
  refusedAt: number;
  retryAfterMs: number;
  /** The end of the refusal on the monotonic clock. */
  retryAt: number;
  /** An operator blocks the level, so no end is known; `retryAt` is the instant of the next check. */
  isBlocked?: boolean;
  /** The end of the ban on the server's clock. Absent: the window was full. */
  bannedUntil?: number | undefined;
  /** The hits that filled the window, oldest first; `undefined` until known. */
  hits?: number[];
}

/** Returns the stores to which `recordRefusal` writes. */
export function useRefusalStores(): RefusalStores {
  return {
    trpc: useTRPC(),
    queryClient: useQueryClient(),
    clock: useServerClock(),
    events: useLiveEvents(),
    signOuts: useViewer().signOuts,
  };
}

/** Returns the refusal by the `user` or `global` level that lasts longest, even if it has ended. */
export function usePolicyRefusal(policy: string): PolicyRefusal | undefined {
  const { signOuts } = useViewer();
  const own = useCached<PolicyRefusal>(refusalKey({ policy, level: 'user' }, signOuts));
  const shared = useCached<PolicyRefusal>(refusalKey({ policy, level: 'global' }, signOuts));
  return (shared?.retryAt ?? 0) > (own?.retryAt ?? 0) ? shared : own;
}

/** Returns the cache key of a refusal. Global refusals are shared; others belong to the user. */
export function refusalKey({ policy, level }: Pick<RefusingLevel, 'policy' | 'level'>, signOuts: number) {
  return ['refusal', policy, level === 'global' ? 'everyone' : signOuts] as const;
}

function useCached<Kept>(queryKey: readonly unknown[]): Kept | undefined {
  return useQuery<Kept>({ queryKey, queryFn: skipToken }).data;
}

/** Returns the element id of a window's name and count. */
export function meterId({ policy, level }: { policy: string; level: string }): string {
  return `window-${policy}-${level}`;
}

/** Returns the refusals of the visitor's own calls by a level, in this tab. */
export function useOwnRefusals(policy: string, level: string): readonly RefusalMark[] {
  const { signOuts } = useViewer();
  return useCached<readonly RefusalMark[]>(refusalMarksKey({ policy, level }, signOuts)) ?? noMarks;
}

/** Returns the cache key of the marks of refused calls. */
function refusalMarksKey({ policy, level }: Pick<RefusingLevel, 'policy' | 'level'>, signOuts: number) {
  return ['refused-marks', policy, level, signOuts] as const;
}

/** A window reopens for all its callers at once, and their calls should not arrive together. */
const MAX_DELAY_MS = 300;
/** Older marks kept per level when one is added. */
const MAX_MARKS = 200;

/** A block is in the live feed after a second; without the feed, the next click finds out. */
const BLOCK_CHECK_MS = 2_000;

/** The refusal to record. */
type NewRefusal = RefusingLevel &
  Pick<RefusalData, 'retryAfterMs'> &
  Partial<Pick<RefusalData, 'bannedUntil'>> & { count: number };

/** The stores of refusals, and the feeds with the hits that caused them. */
export interface RefusalStores {
  trpc: ReturnType<typeof useTRPC>;
  queryClient: ReturnType<typeof useQueryClient>;
  /** The server's clock. */
  clock: ReturnType<typeof useServerClock>;
  events: ReturnType<typeof useLiveEvents>;
  /** The number of former users in this tab, whose refusals do not count. */
  signOuts: number;
}

/** Records refused calls of one limit at about one instant. */
export function recordRefusal(
  { count, bannedUntil, retryAfterMs: waitMs, ...level }: NewRefusal,
  stores: RefusalStores,
): void {
  const { queryClient, clock, signOuts } = stores;
  const key = refusalKey(level, signOuts);
  const refusedAt = clock.now();
  // Without a delay, the button counts down with the meter of the visitor's own window.
  const delayMs = level.level === 'user' ? 0 : Math.random() * MAX_DELAY_MS;
  const retryAfterMs = waitMs ?? BLOCK_CHECK_MS;
  const refusal: PolicyRefusal = {
    ...level,
    retryAfterMs,
    isBlocked: waitMs === null,
    bannedUntil: bannedUntil ?? undefined,
    refusedAt,
    retryAt: stopwatch.now() + retryAfterMs + delayMs,
  };
  queryClient.setQueryData(key, refusal);
  queryClient.setQueryData<RefusalMark[]>(refusalMarksKey(level, signOuts), (marks = []) => [
    ...marks.slice(-MAX_MARKS),
    { at: refusedAt, count },
  ]);
  void findFillingHits({ level, refusedAt }, stores).then((hits) =>
    queryClient.setQueryData<PolicyRefusal>(key, (latest) =>
      latest?.refusedAt === refusedAt ? { ...latest, hits } : latest,
    ),
  );
}

interface Refused {
  level: CountedLevel;
  /** On the server's clock. */
  refusedAt: number;
}

/** Finds the hits that filled a window when it refused: those known before, and those that the next update adds. */
async function findFillingHits(
  { level, refusedAt }: Refused,
  { trpc, queryClient, events: { latest, next } }: RefusalStores,
): Promise<number[]> {
  const mine = trpc.limit.mine.queryOptions();
  const isShared = level.level === 'global';
  const before = isShared ? latest() : queryClient.getQueryData(mine.queryKey);
  const after = await (isShared ? next() : queryClient.fetchQuery({ ...mine, staleTime: 0 }));
  return joinHits({ before, after, level, refusedAt });
}

/** The level whose hits are joined. */
export interface CountedLevel {
  policy: string;
  level: string;
  windowMs: number;
}

/** The known windows at an instant. */
interface Windows {
  serverNow: number;
  windows: { policy: string; level: string; hits: number[] }[];
}

interface Join {
  before: Windows | undefined;
  after: Windows;
  level: CountedLevel;
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
