import styles from './algorithm-picture.module.css';
import type { Algorithm } from './types';

/** The count of each algorithm over time, for two bursts of a full limit: lines of a drawing of 96 by 32, the limit at y = 8. */
const counts = {
  // Each unit returns one window after it was spent.
  'sliding-log': 'M4 28h12V8h40l8 20h12V8h16',
  // The same, later by up to a sub-window, in steps.
  'sliding-counter': 'M4 28h12V8h46v7h4v7h4v6h10V8h12',
  // All units return at the edge, so the second burst follows the first.
  'fixed-window': 'M4 28h26V8h14v20h4V8h44',
  // Each admitted unit returns alone: the bucket fills evenly.
  'token-bucket': 'M4 8h12v20L68 8h8v20l16 -6',
  // The queue drains evenly, a call at a time.
  'leaky-bucket': 'M4 28h12V8h4v4h8v4h8v4h8v4h8v4h16V8h4v4h8v4h12',
} as const satisfies Record<Algorithm, string>;

/** The edge of a window, which only one algorithm has. */
const edges: Partial<Record<Algorithm, string>> = { 'fixed-window': 'M44 2v28' };

/** Draws how an algorithm counts a burst. The text next to it says the same, so screen readers skip it. */
export function AlgorithmPicture({ algorithm }: { algorithm: Algorithm }) {
  return (
    <svg className={styles.picture} viewBox="0 0 96 32" aria-hidden="true">
      <path className={styles.limit} d="M4 8h88" />
      <path className={styles.axis} d="M4 29h88" />
      {edges[algorithm] && <path className={styles.edge} d={edges[algorithm]} />}
      <path className={styles.count} d={counts[algorithm]} />
    </svg>
  );
}
