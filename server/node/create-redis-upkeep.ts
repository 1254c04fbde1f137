import { createFunctionLibraries } from '../limiter';
import type { Log } from '../observability/log';
import type { RedisClient } from '../redis/client';
import { createClockCheck } from '../redis/clock-check';
import { createSettingsCheck } from '../redis/settings-check';
import type { Subsystem } from './subsystem';

/** Interval of the settings check, short enough for an operator who has just changed a setting. */
const SETTINGS_EVERY_MS = 60_000;
/** Interval of the cleanup. It deletes libraries that no node has reported for a day. */
const LIBRARIES_EVERY_MS = 60 * 60 * 1000;

/** Checks the clock and the settings of Redis, and deletes unused function libraries. */
export function createRedisUpkeep({ redis, log }: { redis: RedisClient; log: Log }): Subsystem {
  const clockCheck = createClockCheck({ redis, log });
  const settingsCheck = createSettingsCheck({ redis, log });
  const libraries = createFunctionLibraries({ redis });

  async function deleteUnused(): Promise<void> {
    const deleted = await libraries.deleteUnused();
    if (deleted.length > 0) log.info({ libraries: deleted }, 'Unused function libraries were deleted.');
  }

  return {
    verbs: {},
    jobs: [
      { name: "Reading Redis's clock", run: clockCheck.checkClocks, everyMs: 1_000 },
      { name: "Checking Redis's settings", run: settingsCheck.checkSettings, everyMs: SETTINGS_EVERY_MS },
      { name: 'Deleting unused function libraries', run: deleteUnused, everyMs: LIBRARIES_EVERY_MS },
    ],
    warnings: { redisSettings: settingsCheck.health, redisClock: clockCheck.health },
  };
}
