import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from './client';

/** Whether Redis is set up as the product needs it. */
export interface SettingsCheck {
  /** Asks every node, and warns of each finding when it is new. Call it at start and once in a while. */
  look(): Promise<void>;
  /** What the last look found, for an operator. */
  health(): Promise<{ ok: boolean; detail: string }>;
}

export interface SettingsCheckOptions {
  redis: RedisClient;
  log: { warn(fields: object, message: string): void };
}

interface Setting {
  name: string;
  /** The one value that does. */
  wanted: string;
  /** What any other value costs. */
  cost: string;
}

const memory: Setting = {
  name: 'maxmemory-policy',
  wanted: 'noeviction',
  cost: 'once its memory is full it silently forgets windows, bans and gates',
};
const coverage: Setting = {
  name: 'cluster-require-full-coverage',
  wanted: 'no',
  cost: 'one master that is away stops the slots of all others, too',
};

/**
 * Asks by `CONFIG GET`. Hosted stores forbid that, and a node may be away: where nobody tells, nothing is said, and what
 * was found before stands.
 */
export function createSettingsCheck({ redis, log }: SettingsCheckOptions): SettingsCheck {
  const settings = redis instanceof Cluster ? [memory, coverage] : [memory];
  const findings = new Map<Setting, string>();

  async function lookAt(setting: Setting): Promise<void> {
    const values = await told(redis, setting);
    if (values.length === 0) return;
    const wrong = values.find((value) => value !== setting.wanted);
    if (wrong === undefined) {
      findings.delete(setting);
      return;
    }
    const finding = warningOf(setting, wrong);
    if (findings.get(setting) !== finding) log.warn({}, finding);
    findings.set(setting, finding);
  }

  return {
    async look() {
      await Promise.all(settings.map(lookAt));
    },

    async health() {
      if (findings.size === 0) return { ok: true, detail: 'nothing to object to' };
      return { ok: false, detail: [...findings.values()].join(' ') };
    },
  };
}

/** The values of a setting, of the nodes that tell it. */
async function told(redis: RedisClient, { name }: Setting): Promise<string[]> {
  const nodes: Redis[] = redis instanceof Cluster ? redis.nodes() : [redis];
  const replies = await Promise.allSettled(nodes.map((node) => node.config('GET', name)));
  return replies.flatMap((reply) => {
    const value: unknown =
      reply.status === 'fulfilled' && Array.isArray(reply.value) ? reply.value[1] : undefined;
    return typeof value === 'string' ? [value] : [];
  });
}

function warningOf({ name, wanted, cost }: Setting, value: string): string {
  return `Redis has ${name} ${value}: ${cost}. Set it to ${wanted}, in its configuration as well.`;
}
