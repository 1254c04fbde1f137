'use client';

import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Panel } from '../_components/ui/page-parts';
import { AddressMeter } from './level-meters';
import styles from './window.module.css';

const positions = {
  /** Between the first element, such as a search, and its result. Below the result, each search would move it. */
  between: styles.between,
  below: undefined,
} as const;

interface Props {
  /** The limit in a sentence. */
  rule?: string;
  /** The position of the window on a phone. */
  onPhone: keyof typeof positions;
  children: ReactNode;
}

/** Lays out the result of a limited query next to the window of the visitor's address, which counts it. */
export function WindowLayout({ rule, onPhone, children }: Props) {
  const t = useTranslations('windows');
  return (
    <div className={classNames(styles.columns, positions[onPhone])}>
      <div className={styles.result}>{children}</div>
      <aside className={styles.aside}>
        <Panel>
          <h2 className={classNames(layout.title, styles.wide)}>{t('lookups')}</h2>
          <div className={styles.addressMeter}>
            <AddressMeter />
          </div>
          {rule && <p className={classNames(layout.hint, styles.wide)}>{rule}</p>}
        </Panel>
      </aside>
    </div>
  );
}
