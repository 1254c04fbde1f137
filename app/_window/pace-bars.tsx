'use client';

import { useTranslations } from 'next-intl';
import { memo } from 'react';
import { classNames } from '../_components/ui/class-names';
import { useMediaQuery } from '../_components/ui/use-media-query';
import { formatCount } from '../_i18n/numbers';
import { useDurations } from '../_i18n/use-durations';
import type { LiveWindow } from '../_live/live-feed';
import { useIsStale, useLiveWindow } from '../_live/live-provider';
import { noMarks } from '../_live/refusal-marks';
import styles from './pace-bars.module.css';
import { useEmptyWindow, useLiveOwnWindows } from './use-own-windows';
import { HOLD_FULL_MS, useWindowCount } from './use-window-count';
import { countingOf, isBlocked, isEnforced } from './window-count';

/** The same as in the style sheets. */
const NARROW = '(width < 48rem)';
/** Without room for long names next to the length of the windows. */
const VERY_NARROW = '(width < 25rem), (height < 30rem)';

/** Shows the two windows of a policy as thin bars on a phone; on wider screens the meters are in view. */
export function PhonePace({ policy }: { policy: string }) {
  return useMediaQuery(NARROW) && <PaceBars policy={policy} />;
}

/** Shows the visitor's window and everyone's as two thin bars. */
function PaceBars({ policy }: { policy: string }) {
  const t = useTranslations('windows');
  const shared = useLiveWindow(policy, 'global');
  const isShort = useMediaQuery(VERY_NARROW);
  // The full meters of the page have the same numbers for screen readers.
  return (
    <div className={styles.bars}>
      <OwnPace policy={policy} isShort={isShort} />
      <Pace
        whose={t(isShort ? 'allShort' : 'all')}
        window={shared}
        isStale={useIsStale()}
        holdFullMs={HOLD_FULL_MS}
      />
    </div>
  );
}

/** Shows the visitor's window as a thin bar. Its full meter is for screen readers. */
export function OwnPace({ policy, isShort = false }: { policy: string; isShort?: boolean }) {
  const t = useTranslations('windows');
  const { windows, isUnavailable } = useLiveOwnWindows();
  const own = windows.find((window) => window.policy === policy && window.level === 'user');
  const empty = useEmptyWindow(policy);
  const isStale = useIsStale();
  return (
    <Pace
      whose={t(isShort ? 'youShort' : 'you')}
      window={own ?? empty}
      isStale={isUnavailable || isStale}
      holdFullMs={0}
    />
  );
}

interface Props {
  whose: string;
  window: LiveWindow | undefined;
  isStale: boolean;
  holdFullMs: number;
}

const Pace = memo(function Pace({ whose, window, isStale, holdFullMs }: Props) {
  const t = useTranslations('windows');
  const { length } = useDurations();
  const { used, free } = useWindowCount(window, { refused: noMarks, holdFullMs });
  function countText(counted: LiveWindow): string {
    const limit = formatCount(counted.limit);
    const count = formatCount(used);
    if (isBlocked(counted)) return t('countBlocked');
    if (!isEnforced(counted)) return t('countNotEnforced', { used: count });
    const counting = countingOf(counted);
    if (counting !== 'sliding' && counting !== 'fixed') return t('count', { used: count, limit });
    return t('countIn', { used: count, limit, length: length(counted.windowMs) });
  }

  const share = window ? Math.min(1, used / Math.max(1, window.limit)) : 0;
  return (
    <div
      aria-hidden="true"
      className={classNames(styles.pace, free !== undefined && styles.full, isStale && styles.stale)}
    >
      <div className={styles.words}>
        <span>{whose}</span>
        {window && <span className={styles.count}>{countText(window)}</span>}
      </div>
      <div className={styles.track}>
        <div className={styles.fill} style={{ transform: `scaleX(${share})` }} />
      </div>
    </div>
  );
});
