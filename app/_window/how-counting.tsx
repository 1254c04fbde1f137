import { useTranslations } from 'next-intl';
import { useLiveWindow } from '../_live/live-provider';
import type { WindowState } from '../_trpc/types';
import styles from './how-counting.module.css';
import { useOwnWindows } from './use-own-windows';
import { isAlgorithm } from './window-count';

/** Explains how the windows of the sale count, one paragraph per algorithm. */
export function HowCounting() {
  const t = useTranslations('counting');
  return (
    <details className={styles.how}>
      <summary>{t('title')}</summary>
      {useAlgorithms().map((algorithm) => (
        <p key={algorithm}>{t(`text.${algorithm}`)}</p>
      ))}
    </details>
  );
}

type Algorithm = WindowState['algorithm'];

/** Returns the distinct algorithms of the windows on this page; `sliding-log` until known. */
function useAlgorithms(): Algorithm[] {
  const shared = useLiveWindow('coupon.seckill', 'global');
  const { windows } = useOwnWindows();
  const own = windows.filter(({ policy }) => policy === 'coupon.seckill' || policy === 'coupon.claim');
  const shown = shared ? [shared, ...own] : own;
  const found = new Set(shown.map(({ algorithm }) => algorithm).filter(isAlgorithm));
  return found.size === 0 ? ['sliding-log'] : [...found];
}
