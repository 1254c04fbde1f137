import { useTranslations } from 'next-intl';
import { formatCount } from '../_i18n/numbers';
import { stopwatch } from '../_live/clock';
import { useIsStale, useLiveQueue, useLiveRefusals, useLiveWindow } from '../_live/live-provider';
import { noMarks } from '../_live/refusal-marks';
import { useCountdown } from '../_live/use-now';
import { useViewer } from '../_viewer/viewer-provider';
import { useEmptyWindow, useLiveOwnWindow, useOwnWindows } from './own-windows';
import { meterId, useOwnRefusals, usePolicyRefusal } from './refusals';
import { SlidingMeter } from './sliding-meter';
import { useWindowCount } from './use-window-count';
import { isBlocked, isEnforced } from './window-count';
import { useRecordWait } from './window-wait';

/** Shows a window that counts the visitor, as `limit.mine` returns it. */
export function OwnMeter({ policy, level = 'user' }: { policy: string; level?: string }) {
  const t = useTranslations('windows');
  const { user } = useViewer();
  const { isUnavailable } = useOwnWindows();
  const window = useLiveOwnWindow(policy, level);
  useRecordWait(window);
  const isSignedOut = level === 'user' && user === null;
  const empty = useEmptyWindow(policy);
  const isStale = useIsStale();

  function name(): string {
    if (window?.personal)
      return isEnforced(window) || isBlocked(window)
        ? t('own', { limit: formatCount(window.limit) })
        : t('ownNone');
    if (level === 'user') return t('you');
    return level === 'ip' ? t('yourAddress') : level;
  }

  return (
    <SlidingMeter
      id={meterId({ policy, level })}
      whose={name()}
      window={window ?? (isSignedOut ? empty : undefined)}
      refused={useOwnRefusals(policy, level)}
      isStale={isStale || (isUnavailable && window !== undefined)}
      isHighlighted={useIsHighlighted({ policy, level })}
      unknown={isSignedOut ? t('signedOut') : t('unknown')}
      status={isSignedOut && !isStale ? t('signedOut') : undefined}
    />
  );
}

/** Shows the global window of a policy from the live feed. */
export function SharedMeter({ policy }: { policy: string }) {
  const level = 'global';
  const t = useTranslations('windows');
  const window = useLiveWindow(policy, level);
  const queue = useLiveQueue(policy);
  const own = useLiveOwnWindow(policy, 'user');
  const { used: ownUsed } = useWindowCount(own, { refused: noMarks, holdFullMs: 0 });
  // Waiting tickets get the free slots first, so that a window with room does not end the wait.
  useRecordWait(queue && queue.waiting > 0 ? undefined : window);
  return (
    <SlidingMeter
      id={meterId({ policy, level })}
      whose={t('everyone')}
      of="everyone"
      window={window}
      refused={useLiveRefusals(policy, level)}
      isStale={useIsStale()}
      isHighlighted={useIsHighlighted({ policy, level })}
      queue={queue}
      unknown={t('unknown')}
      // A try that cannot buy counts in the visitor's window only.
      status={ownUsed > (window?.used ?? ownUsed) ? t('buyersOnly') : undefined}
    />
  );
}

/** Returns true while this level refuses the visitor. */
function useIsHighlighted({ policy, level }: { policy: string; level: string }): boolean {
  const refusal = usePolicyRefusal(policy);
  const leftSeconds = useCountdown({ clock: stopwatch, until: refusal?.retryAt });
  return refusal?.level === level && leftSeconds > 0;
}

/** Shows the window that counts lookups from the visitor's address. While the store is down, each node counts its own. */
export function AddressMeter() {
  const t = useTranslations('windows');
  const { windows, isUnavailable } = useOwnWindows();
  const window = windows.find(({ policy, level }) => policy === 'merchant' && level === 'ip');
  return (
    <SlidingMeter
      whose={t('yourAddress')}
      window={window}
      unknown={t('unknown')}
      isStale={isUnavailable}
      isCountUnknown={isUnavailable}
      status={isUnavailable ? t('countedAlone') : undefined}
    />
  );
}
