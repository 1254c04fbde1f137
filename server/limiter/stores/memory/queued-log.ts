import type { Numbers } from '../../algorithms/algorithm';
import { hitsInWindow, nowOf, slidingLog } from '../../algorithms/sliding-log';
import type { QueueCommand } from '../store';
import { type Memory, readState, writeState } from './memory';

/** Units that become free within this time are served together, at most this many. */
const GATHER_MS = 40;
const GATHERED = 5;
/** The longest time from the instant at which a unit becomes free to its charge. */
const SERVE_MS = GATHER_MS + 10;
/** The units that a call serves, and the time for each call before that of a ticket. */
const SERVED = 100;
const SERVED_MS = 5;

/** The log of a queue at one instant. */
export interface QueuedLog {
  /** The number of free units; below 0 after a lower limit. */
  room: number;
  /** Returns the latest turn of the ticket at a position. */
  turnAt(position: number): number;
  /** Returns the instant to serve tickets when no unit is free. */
  serveAt(waiting: number): number;
}

/** Reads a log like lua/limiter/queued-log.lua. */
export function readQueuedLog(
  log: readonly number[] | undefined,
  { limit, windowMs, clock }: Pick<Numbers, 'limit' | 'windowMs'> & { clock: number },
): QueuedLog {
  const call = { clock, windowMs };
  const now = nowOf(log ?? [], call);
  const hits = hitsInWindow(log ?? [], call);

  /** Returns the instant at which the `index`-th next unit becomes free, from 1 to the limit. */
  function roomAt(index: number): number {
    const leaving = hits[hits.length + index - limit - 1];
    return leaving === undefined ? now : leaving + windowMs;
  }

  return {
    room: limit - hits.length,
    turnAt(position) {
      const rounds = Math.floor((position - 1) / limit);
      const callsBefore = Math.floor((Math.min(position, limit) - 1) / SERVED);
      const serveMs = SERVE_MS + callsBefore * SERVED_MS;
      return roomAt(position - rounds * limit) + rounds * windowMs + (rounds + 1) * serveMs;
    },
    serveAt(waiting) {
      const instants = Array.from({ length: Math.min(waiting, limit, GATHERED) }, (_, at) => roomAt(at + 1));
      return instants.findLast((at) => at <= roomAt(1) + GATHER_MS) ?? now;
    },
  };
}

/** Reads the log of a queue from the memory. */
export function loadQueuedLog(
  memory: Memory,
  { keys, level, limit, windowMs }: QueueCommand,
  clock: number,
): QueuedLog {
  return readQueuedLog(readLog(memory, keys.level(level)), { limit, windowMs, clock });
}

/** Charges served tickets to the log of a queue. Returns the instant of the charge. */
export function chargeQueuedLog(
  memory: Memory,
  { keys, level, limit, windowMs }: QueueCommand,
  { clock, cost }: { clock: number; cost: number },
): number {
  const key = keys.level(level);
  const call = { limit, windowMs, clock, cost, subWindows: 1, leaseId: '' };
  const { reading, ...written } = slidingLog.charge(readLog(memory, key), call);
  writeState(memory, { key, algorithm: slidingLog }, written);
  return reading.now;
}

function readLog(memory: Memory, key: string): readonly number[] | undefined {
  // A sliding log has no other state.
  return readState(memory, { key, algorithm: slidingLog }) as readonly number[] | undefined;
}
