import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import styles from './lane-legend.module.css';

/** The legend of the lanes. */
export function LaneLegend({ windowLength }: { windowLength: string }) {
  const t = useTranslations('lab.legend');
  return (
    <ul className={styles.legend}>
      <Mark means={t('admitted')}>
        <path className={styles.admitted} d="M2 2h8v8h-8z" />
      </Mark>
      <Mark means={t('refused')}>
        <path className={styles.refused} d="M2.5 2.5h7v7h-7z" />
      </Mark>
      <Mark means={t('start')}>
        <path className={styles.start} d="M3 1v10M9 1v10" />
      </Mark>
      <Mark means={t('worst', { window: windowLength })}>
        <path className={styles.band} d="M0 0h12v12h-12z" />
        <path className={styles.brim} d="M0 1h12" />
      </Mark>
      <Mark means={t('edge')}>
        <path className={styles.edge} d="M6 0v12" />
      </Mark>
    </ul>
  );
}

function Mark({ means, children }: { means: string; children: ReactNode }) {
  return (
    <li>
      <svg aria-hidden="true" className={styles.key} viewBox="0 0 12 12">
        {children}
      </svg>
      {means}
    </li>
  );
}
