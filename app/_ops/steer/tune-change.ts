import type { Level, LimitChange, Mode } from '../types';
import { type DurationUnit, unitsMs } from './duration-unit';

/** What stands in the form. */
export interface TuneFields {
  limit: number;
  amount: number;
  unit: DurationUnit;
  mode: Mode;
  why: string;
}

/** What of it differs from what is in force; empty where nothing does. */
export type TuneChange = Pick<LimitChange, 'limit' | 'windowMs' | 'mode'>;

export function tuneChange(
  { limit, amount, unit, mode }: TuneFields,
  { effective, mode: inForce }: Pick<Level, 'effective' | 'mode'>,
): TuneChange {
  const windowMs = amount * unitsMs[unit];
  return {
    ...(limit !== effective.limit && { limit }),
    ...(windowMs !== effective.windowMs && { windowMs }),
    ...(mode !== inForce && { mode }),
  };
}
