import type { Window } from '../limiter';
import type { HistoryPoint } from '../limits/history';
import type { Latency } from '../limits/latency-buckets';
import type { Rates } from '../limits/rates';
import type { Alert } from './alerts/alert';

/**
 * The data of `event: ops` on `/api/ops/live`: the whole fleet, as an operator sees it. The first event of a stream has
 * all of `history`, each later one its last seconds again: merge them by `at`.
 */
export interface OpsState {
  /** Epoch ms by Redis's clock; while Redis is away by what is known of it. */
  serverNow: number;
  /** Redis did not answer: windows, rates and nodes are as it told them last. */
  stale: boolean;
  /** Every level of every policy. */
  windows: OpsWindow[];
  /** Totals that only grow, of all nodes together. */
  rates: Rates[];
  /** Bans that stand, of all policies: whoever lists them asks again when there are more or fewer. */
  bans: number;
  /** Seconds that are over, oldest first, five minutes at most. A second in which nothing was decided is left out. */
  history: HistoryPoint[];
  /** How long decisions of the last minute took, on all nodes; null where there were none. */
  latency: Latency | null;
  /** What `/readyz` of this node tells: redis, postgres, ledger, auditor. */
  health: Record<string, Health>;
  /** Nodes that were heard of within three seconds, by name. */
  nodes: OpsNode[];
  /** Open live streams, on all nodes. */
  viewers: number;
  alerts: {
    active: Alert[];
    /** Those that have cleared, the newest first, fifty at most. */
    recent: Alert[];
  };
}

/** A level's window. Of a level that counts by subject: that of the fullest subject known, where one is. */
export interface OpsWindow extends Window {
  /** Absent where everybody shares the window, and where no subject is known: then the window is empty. */
  subject?: Subject;
}

/** Somebody who is counted. */
export interface Subject {
  /** Names the subject in `ops.explain`; a pseudonym, which gives nobody away. */
  ref: string;
  /** Masked as bans are: enough to know somebody again, too little to find them. */
  subject: string;
}

interface Health {
  ok: boolean;
  detail: string;
}

export interface OpsNode {
  node: string;
  /** Open live streams. */
  viewers: number;
  /** Names of what this node needs and does not have, as in its `/readyz`. */
  failing: string[];
}
