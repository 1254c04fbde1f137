/** The units in which a window is typed in, in ms. */
export const unitsMs = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000 } as const;

export type DurationUnit = keyof typeof unitsMs;

export const durationUnits = ['ms', 's', 'min', 'h'] as const satisfies DurationUnit[];

/** A duration in the largest unit that says it without a fraction. */
export function inUnit(ms: number): { amount: number; unit: DurationUnit } {
  const unit = durationUnits.findLast((one) => ms > 0 && ms % unitsMs[one] === 0) ?? 'ms';
  return { amount: ms / unitsMs[unit], unit };
}
