import { LoneMeter } from '../_shell/late-parts';
import styles from './embedded-meter.module.css';

/** One meter and nothing else, large: for a slide or a wall. */
export function EmbeddedMeter({ policy }: { policy: string }) {
  return (
    <div className={styles.wall}>
      <div className={styles.meter}>
        <LoneMeter policy={policy} />
      </div>
    </div>
  );
}
