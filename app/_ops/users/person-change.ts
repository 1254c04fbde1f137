import { type durationUnits, unitsMs } from '../limits/limit-change';
import type { Level, PersonChange } from '../types';

/** The fields of the form of a personal limit. */
export interface PersonFields {
  /** `policy:level`. */
  counted: string;
  subject: string;
  kind: PersonChange['rule']['kind'];
  limit: number;
  /** Length of the window; of a denial, its length. */
  amount: number;
  unit: (typeof durationUnits)[number];
  why: string;
}

/** Returns the rule that the form describes. `now` is the instant from which a denial counts, epoch ms. */
export function toRule(
  { kind, limit, amount, unit }: Pick<PersonFields, 'kind' | 'limit' | 'amount' | 'unit'>,
  { level, now }: { level: Pick<Level, 'effective'> | undefined; now: number },
): PersonChange['rule'] {
  const ms = amount * unitsMs[unit];
  if (kind === 'exempt') return { kind };
  if (kind === 'deny') return { kind, until: Math.round(now + ms) };
  // An unchanged window follows the level.
  return { kind, limit, ...(ms !== level?.effective.windowMs && { windowMs: ms }) };
}
