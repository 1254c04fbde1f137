'use client';

import { useTranslations } from 'next-intl';
import { lazy, Suspense } from 'react';
import { Skeleton } from '../_components/ui/skeleton';
import type { Call } from '../_shell/curl-command';
import { CurlDetails } from '../_shell/curl-details';
import styles from './address-window.module.css';

/** Rendered by the server; its script loads after the search's. */
const AddressMeter = lazy(() => import('./address-meter'));

/** Shows the window of the visitor's address and the call that it counts. */
export function AddressWindow({ call }: { call: Pick<Call, 'path' | 'input'> }) {
  const t = useTranslations('windows');
  return (
    <>
      <h2 className={styles.title}>{t('lookups')}</h2>
      <div className={styles.meter}>
        <Suspense fallback={<Skeleton shape="panel" />}>
          <AddressMeter />
        </Suspense>
      </div>
      <CurlDetails call={{ type: 'query', signedIn: false, ...call }} />
    </>
  );
}
