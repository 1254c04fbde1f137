import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useEffect } from 'react';
import { stopwatch } from '../_live/clock';
import { useLiveRefusals, useLiveStatus, useLiveWindow, useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import { useViewer } from '../_shell/viewer-provider';
import type { WindowState } from '../_trpc/types';
import { type ActiveRefusal, meterId, refusalKey, useActiveRefusal, useOwnRefusals } from './refusals';
import { SlidingMeter } from './sliding-meter';
import { useOwnWindows } from './use-own-windows';

interface Props {
  policy: string;
  /** The level. Default: `user`. */
  level?: string;
  /** The input; required for a level keyed by input. */
  input?: object;
  /** The name on the meter. Default: "You" for `user`, "Your address" for `ip`, else the name of the level. */
  whose?: string;
}

/** Shows a window that counts the visitor, or an input, as `limit.mine` returns it. */
export function OwnMeter({ policy, level = 'user', input, whose }: Props) {
  const t = useTranslations('windows');
  const { user } = useViewer();
  const { windows, isUnavailable } = useOwnWindows(input && { policy, input });
  const window = windows.find(({ policy: name, level: counted }) => name === policy && counted === level);
  useRecordBan(window);
  const isSignedOut = level === 'user' && user === null;

  function name(): string {
    if (level === 'user') return t('you');
    return level === 'ip' ? t('yourAddress') : level;
  }

  return (
    <SlidingMeter
      id={meterId({ policy, level })}
      whose={whose ?? name()}
      window={window}
      refused={useOwnRefusals(policy, level)}
      isStale={isUnavailable && window !== undefined}
      isHighlighted={useIsHighlighted({ policy, level })}
      unknown={isSignedOut ? t('signedOut') : t('unknown')}
      isLoading={!isSignedOut}
    />
  );
}

/** A full window stays shown as full between two events of the feed (250 ms apart) and their delay. */
const HOLD_FULL_MS = 400;

/** Shows the global window of a policy from the live feed. */
export function SharedMeter({ policy }: { policy: string }) {
  const level = 'global';
  const t = useTranslations('windows');
  return (
    <SlidingMeter
      id={meterId({ policy, level })}
      whose={t('everyone')}
      window={useLiveWindow(policy, level)}
      refused={useLiveRefusals(policy, level)}
      isStale={useLiveStatus() === 'stale'}
      isHighlighted={useIsHighlighted({ policy, level })}
      holdFullMs={HOLD_FULL_MS}
      unknown={t('unknown')}
    />
  );
}

/** Returns true while this level refuses the visitor. */
function useIsHighlighted({ policy, level }: { policy: string; level: string }): boolean {
  const refusal = useActiveRefusal(policy);
  const leftSeconds = useCountdown({ clock: stopwatch, until: refusal?.retryAt });
  return refusal?.level === level && leftSeconds > 0;
}

type BannableWindow = Pick<
  WindowState,
  'policy' | 'level' | 'algorithm' | 'limit' | 'windowMs' | 'bannedUntil'
>;

/**
 * Records the ban in the visitor's own window, for example after a reload, and its end, which may be early if the ban
 * is lifted.
 */
function useRecordBan(window: BannableWindow | undefined): void {
  const queryClient = useQueryClient();
  const clock = useServerClock();
  const { signOuts } = useViewer();
  const { policy = '', level = '', algorithm = '', limit = 0, windowMs = 0, bannedUntil } = window ?? {};

  useEffect(() => {
    if (!bannedUntil) return;
    const refusedAt = clock.now();
    const retryAfterMs = bannedUntil - refusedAt;
    const ban: ActiveRefusal = {
      policy,
      level,
      algorithm,
      limit,
      windowMs,
      refusedAt,
      retryAfterMs,
      retryAt: stopwatch.now() + retryAfterMs,
    };
    const key = refusalKey(ban, signOuts);
    queryClient.setQueryData<ActiveRefusal>(key, ban);
    return () => void queryClient.setQueryData<ActiveRefusal>(key, { ...ban, retryAt: stopwatch.now() });
  }, [queryClient, clock, signOuts, policy, level, algorithm, limit, windowMs, bannedUntil]);
}
