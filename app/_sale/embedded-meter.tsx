'use client';

import { lazy, Suspense } from 'react';
import styles from './embedded-meter.module.css';

/** Few look at one meter alone, and who does not should not load it. */
const LoneMeter = lazy(() => import('./lone-meter'));

/** One meter and nothing else, large: for a slide or a wall. */
export function EmbeddedMeter({ policy }: { policy: string }) {
  return (
    <div className={styles.wall}>
      <div className={styles.meter}>
        <Suspense>
          <LoneMeter policy={policy} />
        </Suspense>
      </div>
    </div>
  );
}
