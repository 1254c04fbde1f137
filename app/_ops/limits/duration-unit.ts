/** The units of a window's input field, in ms. */
export const unitsMs = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000 } as const;

export type DurationUnit = keyof typeof unitsMs;

export const durationUnits = ['ms', 's', 'min', 'h'] as const satisfies DurationUnit[];

/** Converts a duration to the largest unit that needs no fraction. */
export function inUnit(ms: number): { amount: number; unit: DurationUnit } {
  const unit = durationUnits.findLast((one) => ms > 0 && ms % unitsMs[one] === 0) ?? 'ms';
  return { amount: ms / unitsMs[unit], unit };
}
