import styles from './share-progress.module.css';

interface Props {
  label: string;
  value: number;
  max: number;
}

/** A progress bar with a known share. */
export function ShareProgress({ label, value, max }: Props) {
  return <progress aria-label={label} className={styles.progress} value={value} max={Math.max(1, max)} />;
}
