'use client';

import dynamic from 'next/dynamic';
import styles from './window.module.css';

const SingleMeter = dynamic(async () => (await import('./single-meter')).SingleMeter, {
  loading: () => null,
});

/** Shows a single large meter, for a slide or a wall. `of` is `policy` or `policy:level`. */
export function EmbeddedMeter({ of }: { of: string }) {
  const [policy = '', level] = of.split(':', 2);
  return (
    <div className={styles.wall}>
      <div className={styles.wallMeter}>
        <SingleMeter policy={policy} level={level} />
      </div>
    </div>
  );
}
