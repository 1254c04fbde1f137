import { useTranslations } from 'next-intl';
import styles from './lane-legend.module.css';

/** What the marks in the lanes mean. */
export function LaneLegend({ windowLength }: { windowLength: string }) {
  const t = useTranslations('lab.legend');
  return (
    <ul className={styles.legend}>
      <li>
        <svg aria-hidden="true" className={styles.key} viewBox="0 0 12 12">
          <path className={styles.admitted} d="M2 2h8v8h-8z" />
        </svg>
        {t('admitted')}
      </li>
      <li>
        <svg aria-hidden="true" className={styles.key} viewBox="0 0 12 12">
          <path className={styles.refused} d="M2.5 2.5h7v7h-7z" />
        </svg>
        {t('refused')}
      </li>
      <li>
        <svg aria-hidden="true" className={styles.key} viewBox="0 0 12 12">
          <path className={styles.start} d="M3 1v10M9 1v10" />
        </svg>
        {t('start')}
      </li>
      <li>
        <svg aria-hidden="true" className={styles.key} viewBox="0 0 12 12">
          <path className={styles.band} d="M0 0h12v12h-12z" />
          <path className={styles.brim} d="M0 1h12" />
        </svg>
        {t('worst', { window: windowLength })}
      </li>
      <li>
        <svg aria-hidden="true" className={styles.key} viewBox="0 0 12 12">
          <path className={styles.edge} d="M6 0v12" />
        </svg>
        {t('edge')}
      </li>
    </ul>
  );
}
