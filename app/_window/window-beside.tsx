import type { ReactNode } from 'react';
import { classNames } from '../_components/ui/class-names';
import { Panel } from '../_components/ui/panel';
import styles from './window-beside.module.css';

const places = {
  above: styles.above,
  below: undefined,
} as const;

interface Props {
  /** Beside and in sight on a wide screen. */
  window: ReactNode;
  /** Where it stands on a phone. */
  onPhone: keyof typeof places;
  children: ReactNode;
}

/** What a limited query brings, and the window that counts the queries. */
export function WindowBeside({ window, onPhone, children }: Props) {
  return (
    <div className={styles.layout}>
      <div className={styles.main}>{children}</div>
      <aside className={classNames(styles.aside, places[onPhone])}>
        <Panel>{window}</Panel>
      </aside>
    </div>
  );
}
