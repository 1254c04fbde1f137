import type { Health } from '../finding';
import type { DecisionTotals } from '../fleet/decision-counter';
import type { HistoryPoint } from '../fleet/history';
import type { Latency } from '../fleet/totals';
import type { LeasedUnits, Window } from '../limiter/index';
import {
  createEventHub,
  type EventHub,
  type EventHubOptions,
  eventText,
  type StateEncoder,
} from '../live/event-hub';
import type { LiveQueue } from '../live/live-hub';
import type { Alert } from './alerts/rules';

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
  rates: DecisionTotals[];
  queues: OpsQueue[];
  /** Units of leased levels that nodes hold and have not spent. They count as used in `windows`. */
  leased: LeasedUnits[];
  /** Number of active bans of all policies. A client that lists bans reloads them when it changes. */
  bans: number;
  /** Completed seconds of the last ten minutes, oldest first. Seconds without decisions are left out. */
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
interface Subject {
  /** The pseudonym of the subject, the input of `ops.explain`. */
  ref: string;
  /** Masked like a ban's subject: recognizable, but not identifiable. */
  subject: string;
}

/** The queue of a level. Its totals are of all nodes and only grow, until Redis loses the queue. */
export interface OpsQueue extends LiveQueue {
  /** Served tickets whose purchase has not ended. */
  unfinished: number;
  /** True while an operator refuses new tickets. */
  isClosed: boolean;
  served: number;
  /** Tickets that were served after the promised instant, and the longest such time, in ms. */
  late: number;
  longestLateMs: number;
}

interface OpsNode {
  node: string;
  /** Open live streams. */
  viewers: number;
  /** Names of the failing dependencies of the node, as in its `/readyz`. */
  failing: string[];
}

/** Minimum time between two events of the stream. */
const OPS_EVENT_MS = 1_000;

/**
 * Room for several first events. A first event has the whole history: up to 1 MB, and more with more policies. Operators
 * are few.
 */
const MAX_QUEUED_BYTES = 4 * 1024 * 1024;

/** Creates the hub that streams the state of the fleet to operators. */
export function createOpsHub(options: Pick<EventHubOptions<OpsState>, 'read' | 'log'>): EventHub {
  return createEventHub({
    ...options,
    ...{ encoder: createOpsEncoder(), pollMs: OPS_EVENT_MS, maxQueuedBytes: MAX_QUEUED_BYTES },
  });
}

/** Each event repeats the last seconds, so that a page that missed an event has no gap. */
const RESENT_SECONDS = 10;

/** Creates the encoder of the ops stream. The first event of a stream has the whole history. */
export function createOpsEncoder(): StateEncoder<OpsState> {
  let lastKey: string | undefined;
  let firstOf: { state: OpsState; bytes: Buffer } | undefined;
  return {
    next(state) {
      const recent = toRecent(state);
      const key = changeKey(recent);
      if (key === lastKey) return undefined;
      lastKey = key;
      return eventText('ops', recent);
    },
    first(state) {
      lastKey ??= changeKey(toRecent(state));
      if (firstOf?.state !== state) firstOf = { state, bytes: eventText('ops', state) };
      return firstOf.bytes;
    },
    alive: ({ serverNow }) => eventText('alive', { serverNow }),
    reset() {
      lastKey = undefined;
      firstOf = undefined;
    },
  };
}

function toRecent(state: OpsState): OpsState {
  return { ...state, history: state.history.slice(-RESENT_SECONDS) };
}

/** Returns a key that changes with the state. Time, and the detail of a passing check, do not change it. */
function changeKey({ serverNow: _now, windows, health, ...rest }: OpsState): string {
  const failing = Object.entries(health).map(([name, { ok, detail }]) => [name, ok || detail]);
  return JSON.stringify([windows.map((window) => ({ ...window, retryAfterMs: 0 })), failing, rest]);
}
