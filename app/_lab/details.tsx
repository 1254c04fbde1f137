import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './details.module.css';

interface Props {
  summary: ReactNode;
  /** Open at first. Default: false. */
  isOpen?: boolean;
  onOpen?(): void;
  children: ReactNode;
}

/** A section that is collapsed at first. */
export function Details({ summary, isOpen = false, onOpen, children }: Props) {
  return (
    <details
      className={styles.details}
      open={isOpen}
      onToggle={({ newState }) => {
        if (newState === 'open') onOpen?.();
      }}
    >
      <summary className={styles.summary}>
        <ChevronRight size={18} aria-hidden="true" className={styles.mark} />
        {summary}
      </summary>
      <div className={styles.body}>{children}</div>
    </details>
  );
}
