import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './details.module.css';

/** A collapsed section. */
export function Details({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  return (
    <details className={styles.details}>
      <summary className={styles.summary}>
        <ChevronRight size={18} aria-hidden="true" className={styles.mark} />
        {summary}
      </summary>
      <div className={styles.body}>{children}</div>
    </details>
  );
}
