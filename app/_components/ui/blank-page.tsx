import type { ReactNode } from 'react';
import styles from './blank-page.module.css';

interface Props {
  title: string;
  text: string;
  /** The way on. */
  children: ReactNode;
}

/** A page that has nothing to show: why, and the way on. */
export function BlankPage({ title, text, children }: Props) {
  return (
    <div className={styles.page}>
      <h1 className={styles.title}>{title}</h1>
      <p className={styles.text}>{text}</p>
      {children}
    </div>
  );
}
