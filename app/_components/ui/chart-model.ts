/** Names of colour tokens in globals.css. Colour is never alone: the nth series also has the nth way of dashing. */
export type ChartTone = 'water' | 'ember' | 'leaf' | 'ink' | 'ink-soft';

export interface ChartSeries {
  label: string;
  tone: ChartTone;
  /** One for each `x`; null where there is none, which leaves a gap. */
  values: readonly (number | null)[];
  /** `step` holds a value until the next one. Default: `line`. */
  kind?: 'line' | 'step' | 'bars';
}

export interface ChartReference {
  /** A line across, at this height. */
  value: number;
  label: string;
}

/** What a chart draws. */
export interface ChartModel {
  /** Ascending, in ms. */
  x: readonly number[];
  /** At most five. */
  series: readonly ChartSeries[];
  references: readonly ChartReference[];
  /** Epoch ms are divided as clocks are; elapsed ms as numbers are. */
  xKind: 'instant' | 'elapsed';
  /** Where the axis begins and ends. Absent: with the first and the last `x`. */
  xRange?: readonly [from: number, to: number] | undefined;
  /** CSS pixels, axes included. */
  height: number;
  formatX(x: number): string;
  formatY(value: number): string;
}

/** How the nth series is dashed, in CSS pixels. */
export const chartDashes: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [9, 3, 2, 3], [14, 4]];
