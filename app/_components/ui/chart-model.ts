import { createCountAxis } from './chart-ticks';

/**
 * Names of colour tokens in globals.css. Each series also has its own dash pattern, because colour alone does not
 * suffice.
 */
export type ChartTone = 'accent' | 'wait' | 'fail' | 'good' | 'ink' | 'ink-soft';

export interface ChartSeries {
  label: string;
  tone: ChartTone;
  /** One per `x`; null leaves a gap. */
  values: readonly (number | null)[];
  /** `step` holds a value until the next one. Default: `line`. */
  kind?: 'line' | 'step' | 'bars';
  /** Stays visible below a later series with the same values. Default: false. */
  isWide?: boolean;
}

export interface ChartReference {
  /** The height of a horizontal line. */
  value: number;
  label: string;
}

/** The data of a chart. */
export interface ChartModel {
  /** Ascending, in ms. */
  x: readonly number[];
  /** At most five. */
  series: readonly ChartSeries[];
  references: readonly ChartReference[];
  /** `instant` (epoch ms) has clock ticks; `elapsed` (ms) has number ticks. */
  xKind: 'instant' | 'elapsed';
  /** The range of the axis. Absent: from the first to the last `x`. */
  xRange?: readonly [from: number, to: number] | undefined;
  /** The highest value of all charts of a column. Their plots then begin at one left edge. Default: the edge fits the labels. */
  highestInColumn?: number | undefined;
  /** CSS pixels, axes included. */
  height: number;
  formatX(x: number): string;
  formatY(value: number): string;
}

/** Returns the widest label of a column of charts; '' for a single chart. */
export function widestLabel({
  highestInColumn,
  height,
  formatY,
}: Pick<ChartModel, 'highestInColumn' | 'height' | 'formatY'>): string {
  if (highestInColumn === undefined) return '';
  return formatY(createCountAxis(highestInColumn, { height }).ticks.at(-1) ?? 0);
}

/** Returns the highest value of a chart, at least 1, so that an empty chart has a height. */
export function highestOf({ series, references }: Pick<ChartModel, 'series' | 'references'>): number {
  return Math.max(
    1,
    ...references.map(({ value }) => value),
    ...series.flatMap(({ values }) => values.map((value) => value ?? 0)),
  );
}

/** The dash pattern of the nth series, in CSS pixels. */
export const chartDashes: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [9, 3, 2, 3], [14, 4]];
