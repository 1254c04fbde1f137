import type { LiveQueue, LiveWindow } from '../_live/live-feed';
import { drawing, drawWindow, positionOf, type WindowDrawing } from './window-drawing';

/** The length of time that the lane of a queue shows, as a share of the window. Its width has the same share. */
export const QUEUE_SHARE = 0.6;

type Logged = Pick<LiveWindow, 'limit' | 'windowMs' | 'used' | 'hits'>;
type Turns = Pick<LiveQueue, 'waiting' | 'nextTurnAt' | 'lastTurnAt'>;

/**
 * Returns the turns of the waiting tickets up to an instant, in order. If the feed has all hits of the window, each turn
 * is the instant at which its slot frees. Otherwise the turns are spread evenly between the first and the last.
 */
export function listTurns(queue: Turns, { window, until }: { window: Logged; until: number }): number[] {
  const { waiting, nextTurnAt, lastTurnAt } = queue;
  if (waiting === 0 || nextTurnAt === null || lastTurnAt === null) return [];
  const slots = slotsOf(window);
  const stepMs = waiting > 1 ? (lastTurnAt - nextTurnAt) / (waiting - 1) : 0;
  const turns: number[] = [];
  for (let index = 0; index < waiting; index++) {
    const turn = slots?.(index) ?? nextTurnAt + index * stepMs;
    const kept = Math.min(lastTurnAt, Math.max(nextTurnAt, turn));
    if (kept > until) break;
    turns.push(kept);
  }
  return turns;
}

/**
 * Returns the instants at which slots free, by index: the hits leave in order, and each ticket then holds its slot for
 * a window. `undefined` if not all hits are known.
 */
function slotsOf({ limit, windowMs, used, hits }: Logged): ((index: number) => number) | undefined {
  if (hits.length < Math.max(1, used, limit)) return undefined;
  const newest = hits.toSorted((one, other) => one - other).slice(-limit);
  return (index) => (newest[index % limit] ?? 0) + (1 + Math.floor(index / limit)) * windowMs;
}

/** Draws the tickets of a queue from `base` at the left edge, two windows wide. */
export function drawQueue(queue: Turns, { window, base }: { window: Logged; base: number }): WindowDrawing {
  const until = base + 2 * window.windowMs;
  const turns = listTurns(queue, { window, until }).filter((turn) => turn >= base);
  const { limit, windowMs } = window;
  return drawWindow({ limit, windowMs, used: turns.length, hits: turns }, { base: base + windowMs });
}

/** Returns the position of a turn in the drawing of `drawQueue`, as a share of its width. */
export function turnPosition(turnAt: number, { base, windowMs }: { base: number; windowMs: number }): number {
  return positionOf(turnAt, { base: base + windowMs, windowMs }) / drawing.width;
}
