import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from './client';

/** Whether the clocks of Redis run as evenly as this process's monotonic clock. */
export interface ClockCheck {
  /** Compares the clock of every master with its last reading. Logs each step. To be called every second. */
  look(): Promise<void>;
  /** The steps that may still keep windows full or let too much in, for an operator. */
  health(): Promise<{ ok: boolean; detail: string }>;
}

export interface ClockCheckOptions {
  redis: RedisClient;
  log: { warn(fields: object, message: string): void };
  /** Milliseconds of a monotonic clock. Default: this process's. */
  now?: () => number;
}

/** Redis's clock when the monotonic clock was at 0, as one reading bounds it. */
interface Reading {
  least: number;
  most: number;
  readAt: number;
}

interface Step {
  /** Above 0 forward, below 0 back. */
  byMs: number;
  detectedAt: number;
  detail: string;
}

/** Below it a step is lost in what limits promise anyway. */
const LEAST_STEP_MS = 100;
/** Clocks that are synchronised drift by less than half of it. */
const DRIFT = 0.001;
/** Long enough for somebody to see it. */
const LEAST_SHOWN_MS = 10 * 60 * 1000;
const MOST_SHOWN_MS = 24 * 60 * 60 * 1000;

/**
 * All windows, bans and sales are timed by Redis's clock. A step forward opens windows early. A step back keeps windows
 * full for its length, because their hits lie in the future. No reading of the clock alone shows a step, but the
 * monotonic clock of this process does not step. A slow reply only makes a reading less exact. A process that was
 * suspended shows as a step forward.
 */
export function createClockCheck({
  redis,
  log,
  now = () => performance.now(),
}: ClockCheckOptions): ClockCheck {
  const readings = new Map<string, Reading>();
  const steps = new Map<string, Step>();

  async function read(node: Redis): Promise<Reading> {
    const sentAt = now();
    const [seconds, microseconds] = await node.time();
    const storeMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    const readAt = now();
    return { least: storeMs - readAt, most: storeMs - sentAt, readAt };
  }

  async function lookAt(node: Redis): Promise<void> {
    const address = `${node.options.host}:${node.options.port}`;
    const before = readings.get(address);
    const after = await read(node);
    readings.set(address, after);
    const byMs = before ? stepBetween(before, after) : 0;
    if (byMs === 0) return;
    const direction = byMs > 0 ? 'forward' : 'back';
    const length = (Math.abs(byMs) / 1_000).toFixed(1);
    const detail = `the clock of ${address} stepped ${direction} by ${length} s (noticed ${new Date().toISOString()})`;
    steps.set(address, { byMs, detectedAt: after.readAt, detail });
    log.warn(
      { address, byMs: Math.round(byMs) },
      "Redis's clock has stepped: windows are wrong for a while.",
    );
  }

  return {
    async look() {
      const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
      // A node that does not answer is for other checks; its next reading allows for the time in between.
      await Promise.allSettled(nodes.map(lookAt));
    },

    async health() {
      const shown = [...steps.values()].filter(({ byMs, detectedAt }) => {
        const shownMs = Math.min(MOST_SHOWN_MS, Math.max(LEAST_SHOWN_MS, Math.abs(byMs)));
        return now() < detectedAt + shownMs;
      });
      if (shown.length === 0) return { ok: true, detail: 'no step' };
      return { ok: false, detail: shown.map(({ detail }) => detail).join('; ') };
    },
  };
}

/** By how much a clock has stepped for certain; 0 where drift and slow replies explain the difference. */
function stepBetween(before: Reading, after: Reading): number {
  const allowed = LEAST_STEP_MS + DRIFT * (after.readAt - before.readAt);
  if (after.least - before.most > allowed) return after.least - before.most;
  if (before.least - after.most > allowed) return after.most - before.least;
  return 0;
}
