'use client';

import { type ComponentProps, lazy, Suspense } from 'react';
import styles from './late-scan-code.module.css';

const Loaded = lazy(() => import('./scan-code'));

/** The QR code of a ticket, whose encoder loads after the page. Until then, a frame of its size. */
export function LateScanCode(props: ComponentProps<typeof Loaded>) {
  return (
    <Suspense fallback={<span aria-hidden="true" className={styles.frame} />}>
      <Loaded {...props} />
    </Suspense>
  );
}
