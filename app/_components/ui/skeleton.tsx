import { classNames } from './class-names';
import styles from './skeleton.module.css';

const shapes = {
  line: styles.line,
  row: styles.row,
  strip: styles.strip,
  panel: styles.panel,
} as const;

/** A placeholder in the final size of loading content. */
export function Skeleton({ shape }: { shape: keyof typeof shapes }) {
  return <span aria-hidden="true" className={classNames(styles.skeleton, shapes[shape])} />;
}
