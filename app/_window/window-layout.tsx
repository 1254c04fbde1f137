'use client';

import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { type Call, CurlDetails } from '../_components/curl-details';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Panel } from '../_components/ui/page-parts';
import { useViewer } from '../_viewer/viewer-provider';
import { AddressMeter } from './level-meters';
import styles from './window.module.css';

const positions = {
  /** Between the first element, such as a search, and its result. Below the result, each search would move it. */
  between: styles.between,
  below: undefined,
} as const;

interface Props {
  /** The call that the window counts. */
  call: Pick<Call, 'path' | 'input'>;
  /** The position of the window on a phone. */
  onPhone: keyof typeof positions;
  children: ReactNode;
}

/** Lays out the result of a limited query next to the window of the visitor's address, which counts it. */
export function WindowLayout({ call, onPhone, children }: Props) {
  return (
    <div className={classNames(styles.columns, positions[onPhone])}>
      <div className={styles.result}>{children}</div>
      <aside className={styles.aside}>
        <Panel>
          <AddressWindow call={call} />
        </Panel>
      </aside>
    </div>
  );
}

/** Shows the window of the visitor's address, and in a demo the call that it counts. */
function AddressWindow({ call }: Pick<Props, 'call'>) {
  const t = useTranslations('windows');
  const { demo } = useViewer();
  return (
    <>
      <h2 className={layout.title}>{t('lookups')}</h2>
      <div className={styles.addressMeter}>
        <AddressMeter />
      </div>
      {demo && <CurlDetails call={{ type: 'query', signedIn: false, ...call }} />}
    </>
  );
}
