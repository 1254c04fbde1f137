import { roundToTenth } from '../_i18n/numbers';
import type { LiveQueue, LiveWindow } from '../_live/live-feed';
import styles from './strip.module.css';

/** The drawing is two windows wide, so that one transform can move it by a whole window. */
export const drawing = { width: 2_000, height: 100 } as const;

/** The hits of a window as the data of one SVG path. */
export interface WindowDrawing {
  path: string;
  /** `ticks` are stroked lines, one per hit; `bins` are filled bars, each for many hits. */
  kind: 'ticks' | 'bins';
  bursts: Burst[];
}

/** Many hits at almost the same instant. */
export interface Burst {
  /** Its start, as an instant and as a share of the drawing's width. */
  at: number;
  position: number;
  count: number;
}

/** More hits than this are drawn as bins. The server sends at most as many hits. */
const MAX_TICKS = 200;
const BINS_PER_WINDOW = 50;
/** Hits in one column would cover each other. */
const COLUMNS_PER_WINDOW = 70;

const oneHitHeight = 40;
const fullHeight = 90;

/**
 * Draws the hits of a window as ticks, or as bins if it has more than 200. Only a sliding log stores its hits; other
 * windows get an empty path. `base` is the instant at the centre of the drawing.
 */
export function drawWindow(
  window: Omit<LiveWindow, 'policy' | 'level'>,
  { base }: { base: number },
): WindowDrawing {
  if (window.hits.length === 0) return { kind: 'ticks', path: '', bursts: [] };
  return window.used > MAX_TICKS
    ? { kind: 'bins', path: binPath(window, base), bursts: [] }
    : { kind: 'ticks', path: tickPath(window, base), bursts: burstsIn(window, base) };
}

/** Draws a single hit at its instant, and hits that would overlap as one taller tick. */
function tickPath({ hits, windowMs }: Pick<LiveWindow, 'hits' | 'windowMs'>, base: number): string {
  const columnMs = windowMs / COLUMNS_PER_WINDOW;
  const columnOf = (hit: number) => Math.floor(hit / columnMs);
  const counts = countBy(hits, columnOf);
  const alone = hits.filter((hit) => counts.get(columnOf(hit)) === 1);
  const together = [...counts].filter(([, count]) => count > 1);
  return [
    ...alone.map((instant) => ({ instant, count: 1 })),
    ...together.map(([column, count]) => ({ instant: (column + 0.5) * columnMs, count })),
  ]
    .map(({ instant, count }) => {
      const height = roundToTenth(
        oneHitHeight + Math.min(1, Math.sqrt((count - 1) / 24)) * (fullHeight - oneHitHeight),
      );
      return `M${positionOf(instant, { base, windowMs })} ${drawing.height}v${-height}`;
    })
    .join('');
}

/** A quarter of the limit within this many adjacent columns shows its number, because no tick is high enough. */
const MAX_BURST_COLUMNS = 4;
/** The width of a number, on the narrowest strip. */
const COLUMNS_PER_LABEL = 9;

function burstsIn(
  { hits, limit, windowMs }: Pick<LiveWindow, 'hits' | 'limit' | 'windowMs'>,
  base: number,
): Burst[] {
  const minCount = Math.max(2, limit / 4);
  const columnMs = windowMs / COLUMNS_PER_WINDOW;
  const counts = [...countBy(hits, (hit) => Math.floor(hit / columnMs))].sort(([a], [b]) => a - b);
  const runs: { from: number; to: number; count: number }[] = [];
  for (const [column, count] of counts) {
    const run = runs.at(-1);
    if (run && column - run.to <= 1) Object.assign(run, { to: column, count: run.count + count });
    else runs.push({ from: column, to: column, count });
  }
  const bursts: { from: number; count: number }[] = [];
  for (const { from, to, count } of runs) {
    if (count < minCount || to - from >= MAX_BURST_COLUMNS) continue;
    const last = bursts.at(-1);
    // One number for both, because two would overlap.
    if (last && from - last.from < COLUMNS_PER_LABEL) last.count += count;
    else bursts.push({ from, count });
  }
  return bursts.map(({ from, count }) => ({
    at: from * columnMs,
    count,
    position: positionOf(from * columnMs, { base, windowMs }) / drawing.width,
  }));
}

/**
 * Draws bins at fixed instants. Of hits older than the known ones only the number is known, so they are spread
 * evenly.
 */
function binPath(
  { hits, used, limit, windowMs }: Omit<LiveWindow, 'policy' | 'level'>,
  base: number,
): string {
  const binMs = windowMs / BINS_PER_WINDOW;
  const binOf = (hit: number) => Math.floor(hit / binMs);
  const counts = countBy(hits, binOf);
  const newest = binOf(Math.max(...hits));
  const oldest = binOf(Math.min(...hits));
  const earlier = Array.from({ length: BINS_PER_WINDOW }, (_, index) => newest - index).filter(
    (bin) => bin < oldest,
  );
  for (const bin of earlier) counts.set(bin, (used - hits.length) / earlier.length);

  // An evenly filled window reaches four fifths of the height.
  const tallest = Math.max((1.25 * limit) / BINS_PER_WINDOW, ...counts.values());
  const width = drawing.width / 2 / BINS_PER_WINDOW;
  return [...counts]
    .map(([bin, count]) => {
      const height = roundToTenth((count / tallest) * fullHeight);
      return `M${positionOf(bin * binMs, { base, windowMs })} ${drawing.height}v${-height}h${width * 0.7}v${height}z`;
    })
    .join('');
}

/** Returns the position of an instant in a drawing. */
function positionOf(instant: number, { base, windowMs }: { base: number; windowMs: number }): number {
  return roundToTenth(((instant - base + windowMs) / (2 * windowMs)) * drawing.width);
}

function countBy(hits: number[], columnOf: (hit: number) => number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const hit of hits) counts.set(columnOf(hit), (counts.get(columnOf(hit)) ?? 0) + 1);
  return counts;
}

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

/** Draws the hits of a track, or the tickets of a lane. */
export function Drawing({ path, kind, bursts }: WindowDrawing) {
  return (
    <>
      <svg
        aria-hidden="true"
        className={styles.drawing}
        viewBox={`0 0 ${drawing.width} ${drawing.height}`}
        preserveAspectRatio="none"
      >
        <path className={styles[kind]} d={path} />
      </svg>
      {bursts.map(({ at, position, count }) => (
        <span key={at} className={styles.burst} style={{ left: `${position * 100}%` }}>
          ×{count}
        </span>
      ))}
    </>
  );
}
