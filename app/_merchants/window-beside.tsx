import type { ReactNode } from 'react';
import { Panel } from '../_components/ui/panel';
import styles from './window-beside.module.css';

interface Props {
  /** Stands above on a phone, beside and in sight on a wide screen. */
  window: ReactNode;
  children: ReactNode;
}

/** What a limited query brings, and the window that counts the queries. */
export function WindowBeside({ window, children }: Props) {
  return (
    <div className={styles.layout}>
      <div className={styles.main}>{children}</div>
      <aside className={styles.aside}>
        <Panel>{window}</Panel>
      </aside>
    </div>
  );
}
