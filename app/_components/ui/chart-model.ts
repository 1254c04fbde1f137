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

/** Returns a label as wide as the widest of a column of charts; '' for a single chart. An axis ends at most 20 % above its values. */
export function widestLabel({
  highestInColumn,
  formatY,
}: Pick<ChartModel, 'highestInColumn' | 'formatY'>): string {
  return highestInColumn === undefined ? '' : formatY(Math.ceil(highestInColumn * 1.2));
}

/** The dash pattern of the nth series, in CSS pixels. */
export const chartDashes: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [9, 3, 2, 3], [14, 4]];
