'use client';

import { useTranslations } from 'next-intl';
import { memo } from 'react';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { useMediaQuery } from '../_components/ui/use-media-query';
import { formatCount } from '../_i18n/numbers';
import { useDurations } from '../_i18n/use-durations';
import type { LiveWindow } from '../_live/live-feed';
import { useIsStale, useLiveWindow } from '../_live/live-provider';
import { noMarks } from '../_live/refusal-marks';
import { useEmptyWindow, useLiveOwnWindow, useOwnWindows } from './own-windows';
import { HOLD_FULL_MS, useWindowCount } from './use-window-count';
import styles from './window.module.css';
import { countingOf, isBlocked, isEnforced } from './window-count';

/** The same as in the style sheets. */
const NARROW = '(width < 48rem)';
/** Without room for long names next to the length of the windows. */
const VERY_NARROW = '(width < 25rem), (height < 30rem)';

/** Shows the two windows of a policy as thin bars on a phone; on wider screens the meters are in view. */
export function PhonePace({ policy }: { policy: string }) {
  const isNarrow = useMediaQuery(NARROW);
  return <div className={styles.paceSpace}>{isNarrow && <PaceBars policy={policy} />}</div>;
}

/** Shows the visitor's window and everyone's as two thin bars. */
function PaceBars({ policy }: { policy: string }) {
  const t = useTranslations('windows');
  const shared = useLiveWindow(policy, 'global');
  const isShort = useMediaQuery(VERY_NARROW);
  // The full meters of the page have the same numbers for screen readers.
  return (
    <div className={styles.paces}>
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
  const { isUnavailable } = useOwnWindows();
  const own = useLiveOwnWindow(policy, 'user');
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
      className={classNames(
        layout.small,
        styles.pace,
        free !== undefined && styles.paceFull,
        isStale && styles.paceStale,
      )}
    >
      <div className={styles.paceWords}>
        <span>{whose}</span>
        {window && (
          <span className={classNames(layout.figures, layout.strong, styles.paceCount)}>
            {countText(window)}
          </span>
        )}
      </div>
      <div className={styles.paceTrack}>
        <div className={styles.paceFill} style={{ transform: `scaleX(${share})` }} />
      </div>
    </div>
  );
});
