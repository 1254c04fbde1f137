import type { ReactNode } from 'react';
import styles from './in-place-of.module.css';

/** Shows a text in the space of another one, so that nothing moves. */
export function InPlaceOf({ text, children }: { text: ReactNode; children: string }) {
  return (
    <span className={styles.inPlace}>
      <span>{children}</span>
      <span aria-hidden="true">{text}</span>
    </span>
  );
}
