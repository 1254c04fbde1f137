import styles from './chart.module.css';
import type { ChartTone } from './chart-model';

/** The class of each tone. */
export const chartTones = {
  accent: styles.accent,
  wait: styles.wait,
  fail: styles.fail,
  good: styles.good,
  ink: styles.ink,
  'ink-soft': styles.inkSoft,
} as const satisfies Record<ChartTone, string | undefined>;
