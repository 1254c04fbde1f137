/** One column of a lane, in CSS pixels: a call is a block in it, and blocks that would cover each other are stacked. */
export const columnPx = 7;
const blockPx = 6;

interface Axis {
  /** The lane's length in time. */
  spanMs: number;
  /** The lane's length on the screen. */
  widthPx: number;
}

/** How many calls stand in each column of a lane. */
export function columnsOf(instants: readonly number[], { spanMs, widthPx }: Axis): number[] {
  const columns = Array.from({ length: Math.max(1, Math.floor(widthPx / columnPx)) }, () => 0);
  for (const at of instants) {
    const place = Math.min(columns.length - 1, Math.max(0, Math.floor((at / spanMs) * columns.length)));
    columns[place] = (columns[place] ?? 0) + 1;
  }
  return columns;
}

interface Stacks {
  columns: readonly number[];
  /** The highest stack of all lanes that are to be compared. */
  most: number;
  /** Room for a stack, in CSS pixels. */
  heightPx: number;
  /** Where stacks stand, from the top. */
  basePx: number;
  direction: 'up' | 'down';
  widthPx: number;
  /** What is to be stroked lies half a pixel further in. Default: false. */
  isHollow?: boolean;
}

/** The stacks as the data of one SVG path: a block for each call, or, where they would be too high, one bar a column. */
export function stacksPath(stacks: Stacks): string {
  const { columns, most, heightPx, widthPx, isHollow = false } = stacks;
  const stepPx = widthPx / columns.length;
  const inset = isHollow ? 0.5 : 0;
  const areBlocks = most * columnPx <= heightPx;
  return columns
    .flatMap((count, place) => {
      const x = rounded(place * stepPx + inset);
      if (count === 0) return [];
      if (!areBlocks) {
        const height = Math.max(1, (count / most) * heightPx);
        return [rectangle({ x, top: topOf(stacks, 0, height), width: blockPx, height, inset })];
      }
      return Array.from({ length: count }, (_, level) =>
        rectangle({
          ...{ x, width: blockPx, height: blockPx, inset },
          top: topOf(stacks, level * columnPx, blockPx),
        }),
      );
    })
    .join('');
}

/** Strokes at instants, as the data of one SVG path. Those of one pixel are one. */
export function strokesPath(
  instants: readonly number[],
  axis: Axis & { top: number; height: number },
): string {
  const { spanMs, widthPx, top, height } = axis;
  const places = new Set(instants.map((at) => Math.round((at / spanMs) * widthPx)));
  return [...places].map((x) => `M${x} ${top}v${height}`).join('');
}

function topOf({ basePx, direction }: Stacks, offset: number, height: number): number {
  return direction === 'up' ? basePx - offset - height : basePx + offset;
}

interface Rectangle {
  x: number;
  top: number;
  width: number;
  height: number;
  inset: number;
}

function rectangle({ x, top, width, height, inset }: Rectangle): string {
  const [w, h] = [width - 2 * inset, rounded(Math.max(1, height - 2 * inset))];
  return `M${x} ${rounded(top + inset)}h${w}v${h}h${-w}z`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
