import type { Level, LimitChange, Mode } from '../types';
import { type DurationUnit, unitsMs } from './duration-unit';

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
  { effective, mode: inForce }: Pick<Level, 'effective' | 'mode'>,
): LimitDiff {
  const windowMs = amount * unitsMs[unit];
  return {
    ...(limit !== effective.limit && { limit }),
    ...(windowMs !== effective.windowMs && { windowMs }),
    ...(mode !== inForce && { mode }),
  };
}
