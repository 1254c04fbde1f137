import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLiveEvents, useServerClock } from '../_live/live-provider';
import { useTRPC } from '../_trpc/client';
import type { RefusalData } from '../_trpc/types';
import { useViewer } from '../_viewer/viewer-provider';
import type { RefusalStores } from './record-refusal';

/** The level that refused. */
export type RefusingLevel = Pick<RefusalData, 'policy' | 'level' | 'algorithm' | 'limit' | 'windowMs'>;

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
