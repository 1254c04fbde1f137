import { useTranslations } from 'next-intl';
import { useId } from 'react';
import type { Policy } from '../types';
import { LevelRow } from './level-row';
import styles from './policy-panel.module.css';

/** Shows a policy with its levels in checking order. */
export function PolicyPanel({ policy: { policy, levels } }: { policy: Policy }) {
  const t = useTranslations('opsNow');
  const id = useId();
  const onStoreError = levels[0]?.onStoreError;
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id} className={styles.name}>
          {policy}
        </h2>
        <p className={styles.outage}>
          {(onStoreError === 'closed' || onStoreError === 'open' || onStoreError === 'local') &&
            t(`onStoreError.${onStoreError}`)}
        </p>
      </div>
      {levels.map((level) => (
        <LevelRow key={level.level} policy={policy} level={level} />
      ))}
    </section>
  );
}
