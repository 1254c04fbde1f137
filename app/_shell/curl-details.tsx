'use client';

import { useState } from 'react';
import type { Call } from './curl-command';
import styles from './curl-details.module.css';
import { CurlText } from './curl-text';

/** Shows the call that a window counts, for engineers; closed by default. */
export function CurlDetails({ call }: { call: Call }) {
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <details className={styles.details} onToggle={() => setWasOpened(true)}>
      <summary className={styles.summary}>
        curl <code>{call.path}</code>
      </summary>
      {wasOpened && <CurlText call={call} />}
    </details>
  );
}
