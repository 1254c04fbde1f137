import type { useQueryClient } from '@tanstack/react-query';
import { stopwatch } from '../_live/clock';
import type { useLiveEvents, useServerClock } from '../_live/live-provider';
import type { RefusalMark } from '../_live/refusal-marks';
import type { useTRPC } from '../_trpc/client';
import type { RefusalData } from '../_trpc/types';
import { type CountedLevel, joinHits } from './join-hits';
import { refusalMarksKey } from './own-refusals';
import { type PolicyRefusal, type RefusingLevel, refusalKey } from './refusals';

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
