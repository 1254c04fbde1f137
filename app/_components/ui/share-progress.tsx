import styles from './share-progress.module.css';

interface Props {
  label: string;
  value: number;
  max: number;
}

/** How much of something under way is done. */
export function ShareProgress({ label, value, max }: Props) {
  return <progress aria-label={label} className={styles.progress} value={value} max={Math.max(1, max)} />;
}
