import { randomUUID } from 'node:crypto';
import { StoreUnavailableError, withinStoreTimeout } from '../../limiter/index';
import { defineScript } from '../../limiter/stores';
import type { Log } from '../../observability/log';
import type { RedisClient } from '../../redis/client';
import { alertsKey } from '../../redis/keys';
import { OPS_STORE_TIMEOUT_MS } from '../store-timeout';
import {
  type AlertState,
  applyReadings,
  noAlerts,
  parseAlertState,
  type Reading,
  withRecent,
} from './alert-state';
import type { Alert, AlertBoard } from './rules';

/** Evaluates the alert rules and reports each change. */
export interface AlertMonitor {
  /** Call it every second, never concurrently. Throws if the readings fail for another reason than the store. */
  evaluateAlerts(): Promise<void>;
  board(): AlertBoard;
}

export interface AlertMonitorOptions {
  /** Holds the state that all nodes share. */
  redis: RedisClient;
  /** Reads the values of the fleet's rules. Throws `StoreUnavailableError`. */
  readFleet: () => Promise<Reading[]>;
  /** Reads the values that this node measures itself: Redis, because it cannot share them while Redis is down. */
  readOwn: () => Reading[];
  /** Redis's clock in epoch ms, as this node estimates it. */
  storeNow: () => number;
  /** Called for each raised or cleared alert: for the fleet's alerts on one node, for own alerts on each node. */
  onChange: (alert: Alert) => void;
}

/** A node skips the fleet's rules if another node evaluated them less than this long ago. */
const FRESH_MS = 900;
/** Nodes that lose Redis within the same minute share an alert id, as often as each of them lost it. */
const SAME_OUTAGE_MS = 60_000;

/**
 * Creates the alert monitor. The first node of each second evaluates the fleet's rules: it replaces the shared state by
 * compare-and-set, and only the node that replaced it reports the changes. Each node evaluates and reports a Redis outage
 * itself, with an id that is equal on all nodes that detected it in the same minute.
 */
export function createAlertMonitor(options: AlertMonitorOptions): AlertMonitor {
  const { redis, readFleet, readOwn, storeNow, onChange } = options;
  const shared = createSharedAlerts(redis);
  let own: AlertState = noAlerts;
  /** The last instant in the id of an own alert. */
  let lastOutage = 0;
  let latest: AlertState = noAlerts;
  /** Cleared own alerts that are not in the shared state yet. */
  let unshared: Alert[] = [];
  /** Changes of a replacement whose reply is missing. */
  let unconfirmed: Alert[] = [];

  function evaluateOwn(): void {
    const { state, changed } = applyReadings(own, {
      ...{ readings: readOwn(), now: storeNow() },
      idOf({ rule, target }) {
        const minute = Math.floor(storeNow() / SAME_OUTAGE_MS) * SAME_OUTAGE_MS;
        lastOutage = Math.max(minute, lastOutage + 1);
        return `${rule}:${target}:${lastOutage}`;
      },
    });
    own = { ...state, recent: [] };
    unshared.push(...changed.filter(({ clearedAt }) => clearedAt !== undefined));
    changed.forEach(onChange);
  }

  /** Reports the changes of a replacement that succeeded although its reply was lost. No other node reports them. */
  function reportUnconfirmed(state: AlertState): void {
    const confirmed = unconfirmed.filter((alert) => isIn(state, alert));
    unconfirmed = [];
    confirmed.forEach(onChange);
  }

  async function evaluateFleet(): Promise<void> {
    const read = await shared.read();
    latest = read.state;
    reportUnconfirmed(read.state);
    // A future evaluation instant comes from the clock of another Redis.
    const isFresh = read.version !== '' && Math.abs(storeNow() - read.state.at) < FRESH_MS;
    if (isFresh && unshared.length === 0) return;
    const at = storeNow();
    const { state, changed } = applyReadings(read.state, {
      ...{ readings: await readFleet(), now: at },
      idOf: ({ rule, target }) => `${rule}:${target}:${at}`,
    });
    const sharing = unshared;
    unconfirmed = changed;
    const isReplaced = await shared.replace(read, sharing.reduce(withRecent, state));
    unconfirmed = [];
    if (!isReplaced) return;
    latest = sharing.reduce(withRecent, state);
    unshared = unshared.filter((alert) => !sharing.includes(alert));
    changed.forEach(onChange);
  }

  return {
    async evaluateAlerts() {
      evaluateOwn();
      try {
        await evaluateFleet();
      } catch (error) {
        // The own alert of a store outage needs no store.
        if (!(error instanceof StoreUnavailableError)) throw error;
      }
    },

    board() {
      const recent = unshared.reduce(withRecent, latest).recent;
      return { active: [...own.active, ...latest.active], recent };
    },
  };
}

/** Returns true if the board has the alert in the same state. */
function isIn({ active, recent }: AlertBoard, { id, clearedAt }: Alert): boolean {
  return [...active, ...recent].some(
    (one) => one.id === id && (clearedAt === undefined || one.clearedAt === clearedAt),
  );
}

/** Logs a raised or cleared alert. */
export function logAlert(
  log: Pick<Log, 'warn' | 'info'>,
  { clearedAt, summary, values: _, spanMs: __, ...alert }: Alert,
): void {
  if (clearedAt === undefined) log.warn(alert, `Alert: ${summary}`);
  else log.info({ ...alert, clearedAt }, `Alert cleared: ${summary}`);
}

/** The state that all nodes share, with its version for compare-and-set. */
interface SharedState {
  /** '' if Redis has no state. */
  version: string;
  state: AlertState;
}

/** The shared state of alerts in Redis. Both methods throw `StoreUnavailableError`. */
interface SharedAlerts {
  read(): Promise<SharedState>;
  /** Replaces a read state. Returns false if another node has replaced it. */
  replace(read: SharedState, state: AlertState): Promise<boolean>;
}

/** Alerts expire after a week without an evaluation. */
const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** Stores the state of alerts in Redis, where it expires after 7 days. Timeout of Redis: 500 ms. */
function createSharedAlerts(redis: RedisClient): SharedAlerts {
  const replaceAlerts = defineScript(redis, {
    command: 'floodgateReplaceAlerts',
    file: 'ops/replace-alerts.lua',
    numberOfKeys: 1,
  });
  /** The last known state. It is written again to an emptied Redis, so that an active alert can clear. */
  let latest: AlertState = noAlerts;

  return {
    async read() {
      const text = await withinStoreTimeout(redis.get(alertsKey), OPS_STORE_TIMEOUT_MS);
      if (text === null) return { version: '', state: latest };
      const space = text.indexOf(' ');
      latest = parseAlertState(text.slice(space + 1)) ?? latest;
      return { version: text.slice(0, space), state: latest };
    },

    async replace({ version }, state) {
      const replacing = replaceAlerts(
        [alertsKey],
        [version, randomUUID(), JSON.stringify(state), LIFETIME_MS],
      );
      const isReplaced = (await withinStoreTimeout(replacing, OPS_STORE_TIMEOUT_MS)) === 1;
      if (isReplaced) latest = state;
      return isReplaced;
    },
  };
}
