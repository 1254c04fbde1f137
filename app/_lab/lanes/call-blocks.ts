import { roundToTenth } from '../../_i18n/numbers';

/** Width of a lane's column in CSS pixels. Each call is a block, and blocks of one column are stacked. */
export const columnPx = 7;
const blockPx = 6;

interface Axis {
  /** Length of the lane in ms. */
  spanMs: number;
  /** Length of the lane in CSS pixels. */
  widthPx: number;
}

/** Counts the calls in each column of a lane. */
export function countColumns(instants: readonly number[], { spanMs, widthPx }: Axis): number[] {
  const columns = Array.from({ length: Math.max(1, Math.floor(widthPx / columnPx)) }, () => 0);
  for (const at of instants) {
    const index = Math.min(columns.length - 1, Math.max(0, Math.floor((at / spanMs) * columns.length)));
    columns[index] = (columns[index] ?? 0) + 1;
  }
  return columns;
}

interface Stacks {
  columns: readonly number[];
  /** Largest column of all compared lanes. */
  maxCount: number;
  /** Maximum height of a stack, in CSS pixels. */
  heightPx: number;
  /** Base line of the stacks, from the top. */
  basePx: number;
  direction: 'up' | 'down';
  widthPx: number;
  /** Insets outlined shapes by half a pixel. Default: false. */
  isHollow?: boolean;
}

/** Draws stacks as one SVG path: a block for each call, or one bar for each column if blocks would be too high. */
export function drawStacks(stacks: Stacks): string {
  const { columns, maxCount, heightPx, basePx, direction, widthPx, isHollow = false } = stacks;
  const stepPx = widthPx / columns.length;
  const inset = isHollow ? 0.5 : 0;
  const areBlocks = maxCount * columnPx <= heightPx;

  /** Draws a rectangle at a distance from the base line. */
  function drawRectangle(index: number, offset: number, height: number): string {
    const top = direction === 'up' ? basePx - offset - height : basePx + offset;
    const [x, y] = [roundToTenth(index * stepPx + inset), roundToTenth(top + inset)];
    const [w, h] = [blockPx - 2 * inset, roundToTenth(Math.max(1, height - 2 * inset))];
    return `M${x} ${y}h${w}v${h}h${-w}z`;
  }

  return columns
    .flatMap((count, index) => {
      if (areBlocks) {
        return Array.from({ length: count }, (_, level) => drawRectangle(index, level * columnPx, blockPx));
      }
      return count === 0 ? [] : [drawRectangle(index, 0, Math.max(1, (count / maxCount) * heightPx))];
    })
    .join('');
}

/** Draws strokes as one SVG path. Strokes on the same pixel are merged. */
export function drawStrokes(
  instants: readonly number[],
  axis: Axis & { top: number; height: number },
): string {
  const { spanMs, widthPx, top, height } = axis;
  const columns = new Set(instants.map((at) => Math.round((at / spanMs) * widthPx)));
  return [...columns].map((x) => `M${x} ${top}v${height}`).join('');
}
