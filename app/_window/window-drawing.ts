import type { LiveWindow } from '../_live/live-event';

/** The drawing is two windows wide, so that one transform can carry it a whole window to the left. */
export const drawing = { width: 2_000, height: 100 } as const;

/** What stands in a window, as the data of one SVG path: however many hits there are, one element carries them all. */
export interface WindowDrawing {
  path: string;
  /** `ticks` are lines to be stroked, one for each hit; `bins` are bars to be filled, each for many. */
  kind: 'ticks' | 'bins';
  bursts: Burst[];
}

/** Many hits of almost one instant. */
export interface Burst {
  /** Where it begins: an instant, and its share of the drawing's width. */
  at: number;
  place: number;
  count: number;
}

interface Options {
  /** The instant in the middle of the drawing: one window before it stands on the left, one after it on the right. */
  base: number;
}

/** More hits than this are drawn as bins. It is also as many as the server tells of one window. */
const mostTicks = 200;
const binsInAWindow = 50;
/** Hits of one column would cover each other. */
const columnsInAWindow = 70;

const oneHitHeight = 40;
const fullHeight = 90;

export function drawWindow(window: Omit<LiveWindow, 'policy' | 'level'>, { base }: Options): WindowDrawing {
  // Only a sliding log knows its hits; of the other algorithms the level of the water is all there is to draw.
  if (window.hits.length === 0) return { kind: 'ticks', path: '', bursts: [] };
  return window.used > mostTicks
    ? { kind: 'bins', path: binPath(window, base), bursts: [] }
    : { kind: 'ticks', path: tickPath(window, base), bursts: burstsIn(window, base) };
}

/** A hit alone stands at its instant; hits that would cover each other are one tick, the taller the more they are. */
function tickPath({ hits, windowMs }: Pick<LiveWindow, 'hits' | 'windowMs'>, base: number): string {
  const columnMs = windowMs / columnsInAWindow;
  const columnOf = (hit: number) => Math.floor(hit / columnMs);
  const counts = countBy(hits, columnOf);
  const alone = hits.filter((hit) => counts.get(columnOf(hit)) === 1);
  const together = [...counts].filter(([, count]) => count > 1);
  return [
    ...alone.map((instant) => ({ instant, count: 1 })),
    ...together.map(([column, count]) => ({ instant: (column + 0.5) * columnMs, count })),
  ]
    .map(({ instant, count }) => {
      const height = rounded(
        oneHitHeight + Math.min(1, Math.sqrt((count - 1) / 24)) * (fullHeight - oneHitHeight),
      );
      return `M${placeOf(instant, { base, windowMs })} ${drawing.height}v${-height}`;
    })
    .join('');
}

/** A quarter of the limit within so few columns is told by its number: no height could. */
const mostColumnsOfABurst = 4;

function burstsIn(
  { hits, limit, windowMs }: Pick<LiveWindow, 'hits' | 'limit' | 'windowMs'>,
  base: number,
): Burst[] {
  const fewest = Math.max(2, limit / 4);
  const columnMs = windowMs / columnsInAWindow;
  const counts = [...countBy(hits, (hit) => Math.floor(hit / columnMs))].sort(([a], [b]) => a - b);
  const runs: { from: number; to: number; count: number }[] = [];
  for (const [column, count] of counts) {
    const run = runs.at(-1);
    if (run && column - run.to <= 1) Object.assign(run, { to: column, count: run.count + count });
    else runs.push({ from: column, to: column, count });
  }
  return runs
    .filter(({ from, to, count }) => count >= fewest && to - from < mostColumnsOfABurst)
    .map(({ from, count }) => ({
      at: from * columnMs,
      count,
      place: placeOf(from * columnMs, { base, windowMs }) / drawing.width,
    }));
}

/**
 * Bins lie at fixed instants and travel like ticks. Of hits older than the known ones only the number is known: they
 * are spread evenly over the time before.
 */
function binPath(
  { hits, used, limit, windowMs }: Omit<LiveWindow, 'policy' | 'level'>,
  base: number,
): string {
  const binMs = windowMs / binsInAWindow;
  const binOf = (hit: number) => Math.floor(hit / binMs);
  const counts = countBy(hits, binOf);
  const newest = binOf(Math.max(...hits));
  const oldest = binOf(Math.min(...hits));
  const earlier = Array.from({ length: binsInAWindow }, (_, place) => newest - place).filter(
    (bin) => bin < oldest,
  );
  for (const bin of earlier) counts.set(bin, (used - hits.length) / earlier.length);

  // A window that is filled evenly stands at four fifths.
  const tallest = Math.max((1.25 * limit) / binsInAWindow, ...counts.values());
  const width = drawing.width / 2 / binsInAWindow;
  return [...counts]
    .map(([bin, count]) => {
      const height = rounded((count / tallest) * fullHeight);
      return `M${placeOf(bin * binMs, { base, windowMs })} ${drawing.height}v${-height}h${width * 0.7}v${height}z`;
    })
    .join('');
}

function placeOf(instant: number, { base, windowMs }: { base: number; windowMs: number }): number {
  return rounded(((instant - base + windowMs) / (2 * windowMs)) * drawing.width);
}

function countBy(hits: number[], columnOf: (hit: number) => number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const hit of hits) counts.set(columnOf(hit), (counts.get(columnOf(hit)) ?? 0) + 1);
  return counts;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
