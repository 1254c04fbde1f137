import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from './client';

/** Checks the configuration of Redis. */
export interface SettingsCheck {
  /** Reads the settings of every node, and logs each new warning. Call it at start, and then every minute. */
  checkSettings(): Promise<void>;
  /** Returns the warnings of the last check. */
  health(): Promise<{ ok: boolean; detail: string }>;
}

export interface SettingsCheckOptions {
  redis: RedisClient;
  log: { warn(fields: object, message: string): void };
}

interface Setting {
  name: string;
  /** The required value. */
  wanted: string;
  /** The consequence of any other value. */
  consequence: string;
}

const memory: Setting = {
  name: 'maxmemory-policy',
  wanted: 'noeviction',
  consequence: 'once its memory is full, it deletes windows, bans and gates without an error',
};
const coverage: Setting = {
  name: 'cluster-require-full-coverage',
  wanted: 'no',
  consequence: 'one master that is down stops the slots of all others',
};

/**
 * Creates the settings check, which uses `CONFIG GET`. Hosted stores forbid that command, and nodes may be down: without
 * any reply the last result stays.
 */
export function createSettingsCheck({ redis, log }: SettingsCheckOptions): SettingsCheck {
  const settings = redis instanceof Cluster ? [memory, coverage] : [memory];
  const warnings = new Map<Setting, string>();

  async function checkSetting(setting: Setting): Promise<void> {
    const values = await readSetting(redis, setting);
    if (values.length === 0) return;
    const wrong = values.find((value) => value !== setting.wanted);
    if (wrong === undefined) {
      warnings.delete(setting);
      return;
    }
    const warning = toWarning(setting, wrong);
    if (warnings.get(setting) !== warning) log.warn({}, warning);
    warnings.set(setting, warning);
  }

  return {
    async checkSettings() {
      await Promise.all(settings.map(checkSetting));
    },

    async health() {
      if (warnings.size === 0) return { ok: true, detail: 'no warnings' };
      return { ok: false, detail: [...warnings.values()].join(' ') };
    },
  };
}

/** Reads the values of a setting from all nodes that reply. */
async function readSetting(redis: RedisClient, { name }: Setting): Promise<string[]> {
  const nodes: Redis[] = redis instanceof Cluster ? redis.nodes() : [redis];
  const replies = await Promise.allSettled(nodes.map((node) => node.config('GET', name)));
  return replies.flatMap((reply) => {
    const value: unknown =
      reply.status === 'fulfilled' && Array.isArray(reply.value) ? reply.value[1] : undefined;
    return typeof value === 'string' ? [value] : [];
  });
}

function toWarning({ name, wanted, consequence }: Setting, value: string): string {
  return `Redis has ${name} ${value}: ${consequence}. Set it to ${wanted}, in its configuration as well.`;
}
