import { StoreUnavailableError } from '../../limiter';
import type { Log } from '../../observability/log';
import type { Alert, AlertBoard } from './alert';
import { type AlertState, lookedAt, noAlerts, type Reading, withRecent } from './alert-state';
import type { SharedAlerts } from './shared-alerts';

/** Looks at what rules are about, and tells what changes. */
export interface AlertWatch {
  /** To be called every second, never twice at once. Throws where what it looks at cannot be read. */
  look(): Promise<void>;
  board(): AlertBoard;
}

export interface AlertWatchOptions {
  /** What stands for all nodes. */
  shared: SharedAlerts;
  /** What the whole fleet's rules are about. Throws `StoreUnavailableError`. */
  fleetReadings: () => Promise<Reading[]>;
  /** What this node sees for itself: Redis, through which it could not be told. */
  ownReadings: () => Reading[];
  /** Redis's clock, as far as this node knows it. */
  now: () => number;
  /** Hears of each alert that is raised or clears: of a fleet's one node, of its own each. */
  onChange: (alert: Alert) => void;
}

/** A node that finds that somebody has looked so short a time ago leaves it at that. */
const LOOKED_MS = 900;
/** Nodes that lose Redis together lose it within so long. */
const SAME_OUTAGE_MS = 60_000;

/**
 * Whatever node looks first looks for all: it replaces the shared state, and only who replaced it tells. That Redis is
 * away each node sees for itself and tells for itself, by an id that is the same for all that saw it in one minute.
 */
export function createAlertWatch(options: AlertWatchOptions): AlertWatch {
  const { shared, fleetReadings, ownReadings, now, onChange } = options;
  let own: AlertState = noAlerts;
  let latest: AlertState = noAlerts;
  /** Own alerts that have cleared and that the others have yet to see. */
  let unshared: Alert[] = [];
  /** What a replacement changes of which it is not known whether it was done. */
  let untold: Alert[] = [];

  function lookAtOwn(): void {
    const { state, changed } = lookedAt(own, {
      ...{ readings: ownReadings(), now: now() },
      idOf: ({ rule, target }) => `${rule}:${target}:${Math.floor(now() / SAME_OUTAGE_MS) * SAME_OUTAGE_MS}`,
    });
    own = { ...state, recent: [] };
    unshared.push(...changed.filter(({ clearedAt }) => clearedAt !== undefined));
    changed.forEach(onChange);
  }

  /** Tells what was done although its reply was lost: nobody else does. */
  function tellUntold(state: AlertState): void {
    const done = untold.filter((alert) => isIn(state, alert));
    untold = [];
    done.forEach(onChange);
  }

  async function lookAtFleet(): Promise<void> {
    const read = await shared.read();
    latest = read.state;
    tellUntold(read.state);
    // Whoever looked in times to come did so by the clock of another Redis.
    const isFresh = read.version !== '' && Math.abs(now() - read.state.at) < LOOKED_MS;
    if (isFresh && unshared.length === 0) return;
    const at = now();
    const { state, changed } = lookedAt(read.state, {
      ...{ readings: await fleetReadings(), now: at },
      idOf: ({ rule, target }) => `${rule}:${target}:${at}`,
    });
    const telling = unshared;
    untold = changed;
    const isReplaced = await shared.replace(read, telling.reduce(withRecent, state));
    untold = [];
    if (!isReplaced) return;
    latest = telling.reduce(withRecent, state);
    unshared = unshared.filter((alert) => !telling.includes(alert));
    changed.forEach(onChange);
  }

  return {
    async look() {
      lookAtOwn();
      try {
        await lookAtFleet();
      } catch (error) {
        // That the store is away is an alert, which does not need it.
        if (!(error instanceof StoreUnavailableError)) throw error;
      }
    },

    board() {
      const recent = unshared.reduce(withRecent, latest).recent;
      return { active: [...own.active, ...latest.active], recent };
    },
  };
}

/** Whether the state knows of the alert, and that it has cleared where it has. */
function isIn({ active, recent }: AlertBoard, { id, clearedAt }: Alert): boolean {
  return [...active, ...recent].some(
    (one) => one.id === id && (clearedAt === undefined || one.clearedAt === clearedAt),
  );
}

/** Writes a line for each alert that is raised or clears. */
export function logAlert(log: Pick<Log, 'warn' | 'info'>, { clearedAt, summary, ...alert }: Alert): void {
  if (clearedAt === undefined) log.warn(alert, `Alert: ${summary}`);
  else log.info({ ...alert, clearedAt }, `The alert is over: ${summary}`);
}
