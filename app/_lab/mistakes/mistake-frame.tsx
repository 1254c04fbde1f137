import { type ReactNode, useId } from 'react';
import { Panel } from '../../_components/ui/panel';
import styles from './mistake-frame.module.css';

interface Props {
  title: string;
  /** Explanation in a few sentences. */
  why: string;
  /** The start button with its progress. */
  start: ReactNode;
  /** The two versions, side by side. */
  sides: ReactNode;
  /** Further details. */
  children?: ReactNode;
}

/** The frame of one mistake. */
export function MistakeFrame({ title, why, start, sides, children }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Panel>
        <div>
          <h3 id={id} className={styles.title}>
            {title}
          </h3>
          <p className={styles.why}>{why}</p>
        </div>
        {start}
        <div className={styles.sides}>{sides}</div>
        {children}
      </Panel>
    </section>
  );
}
