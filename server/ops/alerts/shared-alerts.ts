import { randomUUID } from 'node:crypto';
import { withinStoreTimeout } from '../../limiter';
import { defineScript } from '../../lua-scripts';
import type { RedisClient } from '../../redis/client';
import { alertsKey } from '../../redis/keys';
import { type AlertState, noAlerts, parseAlertState } from './alert-state';

/** The state that all nodes share, with its version for compare-and-set. */
export interface SharedState {
  /** '' if Redis has no state. */
  version: string;
  state: AlertState;
}

/** The shared state of alerts in Redis. Both methods throw `StoreUnavailableError`. */
export interface SharedAlerts {
  read(): Promise<SharedState>;
  /** Replaces a read state. Returns false if another node has replaced it. */
  replace(read: SharedState, state: AlertState): Promise<boolean>;
}

const STORE_TIMEOUT_MS = 500;
/** Alerts expire after a week without an evaluation. */
const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** Stores the state of alerts in Redis, where it expires after 7 days. Timeout of Redis: 500 ms. */
export function createSharedAlerts({ redis }: { redis: RedisClient }): SharedAlerts {
  const replaceAlerts = defineScript(redis, {
    command: 'floodgateReplaceAlerts',
    file: 'ops/replace-alerts.lua',
    numberOfKeys: 1,
  });
  /** The last known state. It is written again to an emptied Redis, so that an active alert can clear. */
  let latest: AlertState = noAlerts;

  return {
    async read() {
      const text = await withinStoreTimeout(redis.get(alertsKey), STORE_TIMEOUT_MS);
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
      const isReplaced = (await withinStoreTimeout(replacing, STORE_TIMEOUT_MS)) === 1;
      if (isReplaced) latest = state;
      return isReplaced;
    },
  };
}
