import type { HistoryPoint } from '../fleet/history';
import type { Latency } from '../fleet/latency-buckets';
import type { Rates } from '../fleet/rates';
import type { Window } from '../limiter';
import type { Alert } from '../ops/alerts/alert';

/**
 * The data of `event: ops` on `/api/ops/live`: the state of the whole fleet. The first event of a stream has all of
 * `history`, each later one the last seconds again: merge them by `at`.
 */
export interface OpsState {
  /** Epoch ms by Redis's clock, which is estimated while Redis is down. */
  serverNow: number;
  /** True if Redis did not answer: windows, rates and nodes are those of the last answer. */
  stale: boolean;
  /** Every level of every policy. */
  windows: OpsWindow[];
  /** Monotone totals of all nodes. */
  rates: Rates[];
  /** Number of active bans of all policies. A client that lists bans reloads them when it changes. */
  bans: number;
  /** Completed seconds of the last five minutes, oldest first. Seconds without decisions are left out. */
  history: HistoryPoint[];
  /** Decision times of the last minute, of all nodes; null if there were no decisions. */
  latency: Latency | null;
  /** The dependencies in `/readyz` of this node, by name. */
  health: Record<string, Health>;
  /** Nodes with a heartbeat in the last three seconds. */
  nodes: OpsNode[];
  /** Open live streams of all nodes. */
  viewers: number;
  alerts: {
    active: Alert[];
    /** Cleared alerts, newest first, at most 50. */
    recent: Alert[];
  };
}

/** The window of a global level, or of the top subject of any other level. */
export interface OpsWindow extends Window {
  /** Absent for a global level, and while the level has no top subject: then the window is empty. */
  subject?: Subject;
}

/** A counted subject. */
export interface Subject {
  /** Pseudonym of the subject, the input of `ops.explain`. */
  ref: string;
  /** Masked like a ban's subject: recognizable, but not identifiable. */
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
  /** Names of the failing dependencies of the node, as in its `/readyz`. */
  failing: string[];
}
