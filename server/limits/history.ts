import type { Rates } from './rates';

/** What was decided within one second, on all nodes. */
export interface HistoryPoint {
  /** Epoch ms by Redis's clock at which the second began. */
  at: number;
  /** Levels on which anything was decided. */
  levels: Rates[];
}
