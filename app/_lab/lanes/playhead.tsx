import styles from './playhead.module.css';

/** The instant that is looked at, as a line across a lane. */
export function Playhead({ share }: { share: number }) {
  return (
    <div
      aria-hidden="true"
      className={styles.head}
      style={{ left: `${Math.min(1, Math.max(0, share)) * 100}%` }}
    />
  );
}
