'use client';

import { lazy, Suspense, useState } from 'react';
import type { Call } from './curl-command';
import styles from './curl-details.module.css';

/** Loaded when opened. */
const CurlText = lazy(() => import('./curl-text'));

/** Shows the call that a window counts, for engineers; closed by default. */
export function CurlDetails({ call }: { call: Call }) {
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <details className={styles.details} onToggle={() => setWasOpened(true)}>
      <summary className={styles.summary}>
        curl <code>{call.path}</code>
      </summary>
      {wasOpened && (
        <Suspense>
          <CurlText call={call} />
        </Suspense>
      )}
    </details>
  );
}
