import type { Level, LimitChange, Mode } from '../types';

/** The units of a window's input field, in ms. */
export const unitsMs = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000 } as const;

type DurationUnit = keyof typeof unitsMs;

export const durationUnits = ['ms', 's', 'min', 'h'] as const satisfies DurationUnit[];

/** The fields of the form. */
export interface LimitFields {
  limit: number;
  amount: number;
  unit: DurationUnit;
  mode: Mode;
  why: string;
}

/** The fields that differ from the effective limit; empty without a difference. */
export type LimitDiff = Pick<LimitChange, 'limit' | 'windowMs' | 'mode'>;

/** Compares the form with the level. Returns only the fields to send; durations are in ms. */
export function diffLimit(
  { limit, amount, unit, mode }: LimitFields,
  { effective, mode: effectiveMode }: Pick<Level, 'effective' | 'mode'>,
): LimitDiff {
  const windowMs = amount * unitsMs[unit];
  return {
    ...(limit !== effective.limit && { limit }),
    ...(windowMs !== effective.windowMs && { windowMs }),
    ...(mode !== effectiveMode && { mode }),
  };
}

/** Converts a duration to the largest unit that needs no fraction. */
export function toLargestUnit(ms: number): { amount: number; unit: DurationUnit } {
  const unit = durationUnits.findLast((one) => ms > 0 && ms % unitsMs[one] === 0) ?? 'ms';
  return { amount: ms / unitsMs[unit], unit };
}
