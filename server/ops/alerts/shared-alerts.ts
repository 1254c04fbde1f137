import { randomUUID } from 'node:crypto';
import { withinStoreTimeout } from '../../limiter';
import { defineScript } from '../../lua-scripts';
import type { RedisClient } from '../../redis/client';
import { alertsKey } from '../../redis/keys';
import { type AlertState, noAlerts, parseAlertState } from './alert-state';

/** The state that all nodes share, with the version by which it may be replaced. */
export interface SharedState {
  /** '' where nothing stands in Redis. */
  version: string;
  state: AlertState;
}

/** Where nodes keep what they know of alerts. Both throw `StoreUnavailableError`. */
export interface SharedAlerts {
  read(): Promise<SharedState>;
  /** Replaces what was read; false where another node has done so since. */
  replace(read: SharedState, state: AlertState): Promise<boolean>;
}

const WAIT_MS = 500;
/** Alerts that no node has looked after for a week are of no use to anybody. */
const LIVES_MS = 7 * 24 * 60 * 60 * 1000;

export function createSharedAlerts({ redis }: { redis: RedisClient }): SharedAlerts {
  const run = defineScript(redis, {
    command: 'floodgateKeepAlerts',
    file: 'ops/keep-alerts.lua',
    numberOfKeys: 1,
  });
  /** What stood last: a Redis that was emptied is told again, so that what is raised can clear. */
  let latest: AlertState = noAlerts;

  return {
    async read() {
      const text = await withinStoreTimeout(redis.get(alertsKey), WAIT_MS);
      if (text === null) return { version: '', state: latest };
      const space = text.indexOf(' ');
      latest = parseAlertState(text.slice(space + 1)) ?? latest;
      return { version: text.slice(0, space), state: latest };
    },

    async replace({ version }, state) {
      const replacing = run([alertsKey], [version, randomUUID(), JSON.stringify(state), LIVES_MS]);
      const isReplaced = (await withinStoreTimeout(replacing, WAIT_MS)) === 1;
      if (isReplaced) latest = state;
      return isReplaced;
    },
  };
}
