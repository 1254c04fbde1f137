import type { ReactNode } from 'react';
import { classNames } from '../_components/ui/class-names';
import { Panel } from '../_components/ui/panel';
import styles from './window-layout.module.css';

const places = {
  above: styles.above,
  below: undefined,
} as const;

interface Props {
  /** Shown next to the content on a wide screen. */
  window: ReactNode;
  /** Its position on a phone. */
  onPhone: keyof typeof places;
  children: ReactNode;
}

/** Lays out the result of a limited query next to the window that counts it. */
export function WindowLayout({ window, onPhone, children }: Props) {
  return (
    <div className={styles.layout}>
      <div className={styles.main}>{children}</div>
      <aside className={classNames(styles.aside, places[onPhone])}>
        <Panel>{window}</Panel>
      </aside>
    </div>
  );
}
