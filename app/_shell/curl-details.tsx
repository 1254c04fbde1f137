'use client';

import { lazy, Suspense, useState } from 'react';
import type { Call } from './curl-command';
import styles from './curl-details.module.css';

/** For the few who open it. */
const CurlText = lazy(() => import('./curl-text'));

/** The call that a window counts, for engineers: folded away until somebody asks. */
export function CurlDetails({ call }: { call: Call }) {
  const [isOpened, setIsOpened] = useState(false);
  return (
    <details className={styles.details} onToggle={() => setIsOpened(true)}>
      <summary className={styles.summary}>
        curl <code>{call.path}</code>
      </summary>
      {isOpened && (
        <Suspense>
          <CurlText call={call} />
        </Suspense>
      )}
    </details>
  );
}
