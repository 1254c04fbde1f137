import { classNames } from './class-names';
import styles from './skeleton.module.css';

/** A placeholder in the final size of loading content. */
export function Skeleton({ shape }: { shape: 'line' | 'row' | 'strip' | 'panel' }) {
  return <span aria-hidden="true" className={classNames(styles.skeleton, styles[shape])} />;
}
