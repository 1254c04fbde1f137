import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { formatCount } from '../_i18n/numbers';
import { stopwatch } from '../_live/clock';
import { useIsStale, useLiveQueue, useLiveRefusals, useLiveWindow } from '../_live/live-provider';
import { noMarks } from '../_live/refusal-marks';
import { useCountdown } from '../_live/use-now';
import { useTRPC } from '../_trpc/client';
import { useViewer } from '../_viewer/viewer-provider';
import { useOwnRefusals } from './own-refusals';
import { meterId, usePolicyRefusal } from './refusals';
import { SlidingMeter } from './sliding-meter';
import { type OwnWindows, useEmptyWindow } from './use-own-windows';
import { useRecordWait } from './use-record-wait';
import { HOLD_FULL_MS, useWindowCount } from './use-window-count';
import { isBlocked, isEnforced } from './window-count';

interface Props {
  policy: string;
  /** The windows that count the visitor, read once for all meters of a page. */
  own: OwnWindows;
}

/** Shows a window that counts the visitor, as `limit.mine` returns it. */
export function OwnMeter({ policy, level = 'user', own }: Props & { level?: string }) {
  const t = useTranslations('windows');
  const { user } = useViewer();
  const { isUnavailable } = own;
  const window = findOwn(own, { policy, level });
  useRecordWait(window);
  const isSignedOut = level === 'user' && user === null;
  const empty = useEmptyWindow(policy);

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
      isStale={isUnavailable && window !== undefined}
      isHighlighted={useIsHighlighted({ policy, level })}
      unknown={isSignedOut ? t('signedOut') : t('unknown')}
      status={isSignedOut ? t('signedOut') : undefined}
    />
  );
}

/** Shows the global window of a policy from the live feed. */
export function SharedMeter({ policy, own }: Props) {
  const level = 'global';
  const t = useTranslations('windows');
  const window = useLiveWindow(policy, level);
  const queue = useLiveQueue(policy);
  const { used: ownUsed } = useWindowCount(findOwn(own, { policy, level: 'user' }), {
    refused: noMarks,
    holdFullMs: 0,
  });
  // Waiting tickets get the free slots first, so that a window with room does not end the wait.
  useRecordWait(queue && queue.waiting > 0 ? undefined : window);
  return (
    <SlidingMeter
      id={meterId({ policy, level })}
      whose={t('everyone')}
      window={window}
      refused={useLiveRefusals(policy, level)}
      isStale={useIsStale()}
      isHighlighted={useIsHighlighted({ policy, level })}
      holdFullMs={HOLD_FULL_MS}
      isAnnounced={false}
      queue={queue}
      ownTurnAt={useOwnTurn(policy)}
      unknown={t('unknown')}
      // A try that cannot buy counts in the visitor's window only.
      status={ownUsed > (window?.used ?? ownUsed) ? t('buyersOnly') : undefined}
    />
  );
}

function findOwn({ windows }: OwnWindows, { policy, level }: { policy: string; level: string }) {
  return windows.find((window) => window.policy === policy && window.level === level);
}

const QUEUED_POLICY = 'coupon.seckill';

/** Returns the next turn of the visitor's tickets, as the page has read them. Reads nothing itself. */
function useOwnTurn(policy: string): number | undefined {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.queue.mine.queryOptions(undefined, { enabled: false }));
  if (!data || policy !== QUEUED_POLICY) return undefined;
  const turns = data.tickets.flatMap((ticket) => (ticket.state === 'waiting' ? [ticket.turnAt] : []));
  return turns.length > 0 ? Math.min(...turns) : undefined;
}

/** Returns true while this level refuses the visitor. */
function useIsHighlighted({ policy, level }: { policy: string; level: string }): boolean {
  const refusal = usePolicyRefusal(policy);
  const leftSeconds = useCountdown({ clock: stopwatch, until: refusal?.retryAt });
  return refusal?.level === level && leftSeconds > 0;
}
