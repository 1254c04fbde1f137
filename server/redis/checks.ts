import { Cluster, type Redis } from 'ioredis';
import type { FindingCode, Health } from '../finding';
import type { RedisClient } from './client';

/** Compares the clocks of Redis with the monotonic clock of this process. */
export interface ClockCheck {
  /** Compares the clock of every master with its last reading, and logs each step. Call it every second. */
  checkClocks(): Promise<void>;
  /** Returns the steps that may still affect windows. */
  health(): Promise<Health>;
}

/** One reading: bounds of the offset between Redis's clock and the monotonic clock. */
interface Reading {
  minOffset: number;
  maxOffset: number;
  readAt: number;
}

interface Step {
  /** Positive: forward. Negative: back. */
  byMs: number;
  detectedAt: number;
  address: string;
  detail: string;
}

/** Smaller steps are within the precision of limits. */
const MIN_STEP_MS = 100;
/** Twice the maximum drift of synchronized clocks. */
const DRIFT = 0.001;
/** A step is shown for its own length, within these bounds. */
const MIN_SHOWN_MS = 10 * 60 * 1000;
const MAX_SHOWN_MS = 24 * 60 * 60 * 1000;

/**
 * Creates the clock check. All windows, bans and sales are timed by Redis's clock. A step forward opens windows early. A
 * step back keeps windows full for its length, because their hits lie in the future. A single clock cannot show its own
 * step, but the monotonic clock of this process does not step. A slow reply only makes a reading less exact. A process that
 * was suspended shows as a step forward.
 */
export function createClockCheck({
  redis,
  log,
  now = () => performance.now(),
}: {
  redis: RedisClient;
  log: { warn(fields: object, message: string): void };
  /** Milliseconds of a monotonic clock. Default: this process's. */
  now?: () => number;
}): ClockCheck {
  const readings = new Map<string, Reading>();
  const steps = new Map<string, Step>();

  async function read(node: Redis): Promise<Reading> {
    const sentAt = now();
    const [seconds, microseconds] = await node.time();
    const storeMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    const readAt = now();
    return { minOffset: storeMs - readAt, maxOffset: storeMs - sentAt, readAt };
  }

  async function checkNode(node: Redis): Promise<void> {
    const address = `${node.options.host}:${node.options.port}`;
    const before = readings.get(address);
    const after = await read(node);
    readings.set(address, after);
    const byMs = before ? stepBetween(before, after) : 0;
    if (byMs === 0) return;
    const direction = byMs > 0 ? 'forward' : 'back';
    const length = (Math.abs(byMs) / 1_000).toFixed(1);
    const detail = `the clock of ${address} stepped ${direction} by ${length} s (noticed ${new Date().toISOString()})`;
    steps.set(address, { byMs, detectedAt: after.readAt, address, detail });
    log.warn(
      { address, byMs: Math.round(byMs) },
      "Redis's clock has stepped: windows are wrong for a while.",
    );
  }

  return {
    async checkClocks() {
      const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
      // Other checks report a node that does not answer. The next reading allows for the time in between.
      await Promise.allSettled(nodes.map(checkNode));
    },

    async health() {
      const shown = [...steps.values()].filter(({ byMs, detectedAt }) => {
        const shownMs = Math.min(MAX_SHOWN_MS, Math.max(MIN_SHOWN_MS, Math.abs(byMs)));
        return now() < detectedAt + shownMs;
      });
      if (shown.length === 0) return { ok: true, detail: 'no step', findings: [{ code: 'no-clock-step' }] };
      return {
        ok: false,
        detail: shown.map(({ detail }) => detail).join('; '),
        findings: shown.map(({ byMs, address }) => ({
          code: 'clock-step',
          values: {
            direction: byMs > 0 ? 'forward' : 'back',
            seconds: Math.abs(Math.round(byMs / 100) / 10),
            address,
          },
        })),
      };
    },
  };
}

/** Returns the certain part of a step; 0 if drift and slow replies explain the difference. */
function stepBetween(before: Reading, after: Reading): number {
  const allowed = MIN_STEP_MS + DRIFT * (after.readAt - before.readAt);
  if (after.minOffset - before.maxOffset > allowed) return after.minOffset - before.maxOffset;
  if (before.minOffset - after.maxOffset > allowed) return after.maxOffset - before.minOffset;
  return 0;
}

/** Checks the configuration of Redis. */
interface SettingsCheck {
  /** Reads the settings of every node, and logs each new warning. Call it at start, and then every minute. */
  checkSettings(): Promise<void>;
  /** Returns the warnings of the last check. */
  health(): Promise<Health>;
}

interface SettingsCheckOptions {
  redis: RedisClient;
  log: { warn(fields: object, message: string): void };
}

interface Setting {
  code: FindingCode;
  name: string;
  /** The required value. */
  wanted: string;
  /** The consequence of any other value. */
  consequence: string;
}

const memory: Setting = {
  code: 'setting-eviction',
  name: 'maxmemory-policy',
  wanted: 'noeviction',
  consequence: 'once its memory is full, it deletes windows, bans and gates without an error',
};

const coverage: Setting = {
  code: 'setting-coverage',
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
  /** The wrong values. */
  const warnings = new Map<Setting, string>();

  async function checkSetting(setting: Setting): Promise<void> {
    const values = await readSetting(redis, setting);
    if (values.length === 0) return;
    const wrong = values.find((value) => value !== setting.wanted);
    if (wrong === undefined) {
      warnings.delete(setting);
      return;
    }
    if (warnings.get(setting) !== wrong) log.warn({}, toWarning(setting, wrong));
    warnings.set(setting, wrong);
  }

  return {
    async checkSettings() {
      await Promise.all(settings.map(checkSetting));
    },

    async health() {
      if (warnings.size === 0)
        return { ok: true, detail: 'no warnings', findings: [{ code: 'settings-ok' }] };
      return {
        ok: false,
        detail: [...warnings].map(([setting, value]) => toWarning(setting, value)).join(' '),
        findings: [...warnings].map(([{ code, name, wanted }, value]) => ({
          ...{ code, values: { name, value, wanted } },
        })),
      };
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
