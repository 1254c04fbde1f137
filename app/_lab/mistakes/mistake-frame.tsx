import { type ReactNode, useId } from 'react';
import { Panel } from '../../_components/ui/panel';
import styles from './mistake-frame.module.css';

interface Props {
  title: string;
  /** Why it happens, in a few sentences. */
  why: string;
  /** The button that makes it happen, and how far that is. */
  start: ReactNode;
  /** The two versions, beside each other. */
  sides: ReactNode;
  /** What else is to be seen. */
  children?: ReactNode;
}

/** One thing that goes wrong. */
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
