import { useTranslations } from 'next-intl';
import { type ComponentProps, useCallback } from 'react';
import { SelectField, TextField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { usePeriod } from '../../_i18n/use-durations';
import type { Level, Policy } from '../types';

/** A level of a policy. */
export interface LimitName {
  policy: string;
  level: string;
}

/** Returns a level of the listed policies. */
export function findLevel(
  policies: readonly Policy[] | undefined,
  { policy, level }: LimitName,
): Level | undefined {
  return policies?.find((one) => one.policy === policy)?.levels.find((one) => one.level === level);
}

/** The values of a level that an operator may change. */
type LimitValues = Level['effective'] & Pick<Level, 'mode'>;

/** Returns the values that differ from those of a level; `undefined` if none does. */
export function diffLimit(
  { limit, windowMs, mode }: LimitValues,
  { effective, mode: effectiveMode }: Pick<Level, 'effective' | 'mode'>,
): Partial<LimitValues> | undefined {
  const differing = {
    ...(limit !== effective.limit && { limit }),
    ...(windowMs !== effective.windowMs && { windowMs }),
    ...(mode !== effectiveMode && { mode }),
  };
  return Object.keys(differing).length > 0 ? differing : undefined;
}

/**
 * Returns a formatter of a limit: `3 per 10 s`; of calls in flight `3 at the same time`. Needs the namespaces `ops` and
 * `duration`.
 */
export function useFormatLimit(): (limit: Level['effective'], algorithm: string) => string {
  const t = useTranslations('ops');
  const period = usePeriod();
  return useCallback(
    ({ limit, windowMs }, algorithm) =>
      algorithm === 'in-flight' ? t('running', { limit }) : t('rate', { limit, window: period(windowMs) }),
    [t, period],
  );
}

/** The units of the input field of a duration, in ms. */
export const unitsMs = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000 } as const;

export type DurationUnit = keyof typeof unitsMs;

const durationUnits = ['ms', 's', 'min', 'h'] as const satisfies DurationUnit[];

/** Converts a duration to the largest unit that needs no fraction. */
export function toLargestUnit(ms: number): { amount: number; unit: DurationUnit } {
  const unit = durationUnits.findLast((one) => ms > 0 && ms % unitsMs[one] === 0) ?? 'ms';
  return { amount: ms / unitsMs[unit], unit };
}

interface DurationProps extends ComponentProps<typeof TextField> {
  unit: DurationUnit;
  onUnit(unit: DurationUnit): void;
}

/** The number of a duration and its unit, next to each other. Needs the namespace `ops`. */
export function DurationFields({ unit, onUnit, ...amount }: DurationProps) {
  const t = useTranslations('ops');
  return (
    <div className={layout.pair3}>
      <TextField type="number" inputMode="numeric" min={1} {...amount} />
      <SelectField
        label={t('unit')}
        value={unit}
        options={durationUnits.map((one) => ({ value: one, label: t(`units.${one}`) }))}
        onChange={(next) => onUnit(durationUnits.find((one) => one === next) ?? unit)}
      />
    </div>
  );
}
