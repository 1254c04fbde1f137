import styles from './playhead.module.css';

/** A line across a lane at the selected time. */
export function Playhead({ share }: { share: number }) {
  return (
    <div
      aria-hidden="true"
      className={styles.head}
      style={{ left: `${Math.min(1, Math.max(0, share)) * 100}%` }}
    />
  );
}
