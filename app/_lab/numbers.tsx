import { useFormatter, useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import type { Column } from '../_components/ui/data-table';
import { TextField } from '../_components/ui/field';
import { formatCount } from '../_i18n/numbers';

interface LabNumbers {
  /** Formats a time on the lab's clock: `10.25 s`. */
  time(ms: number): string;
  /** Formats an axis label without trailing zeros: `10 s`, `2.5 s`. */
  tick(ms: number): string;
  /** Formats a duration: `517 ms`, from one second `8.67 s`. */
  ms(ms: number): string;
  bytes(count: number): string;
  count(count: number): string;
}

const fixed = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

/** Formatters in the page's language, stable across renders. Needs the namespaces `duration` and `lab`. */
export function useLabNumbers(): LabNumbers {
  const t = useTranslations('duration');
  const tLab = useTranslations('lab.units');
  const { number } = useFormatter();

  return useMemo(() => {
    const time = (ms: number) => t('precise', { count: number(ms / 1_000, fixed) });
    return {
      tick: (ms) => t('precise', { count: number(ms / 1_000, { maximumFractionDigits: 2 }) }),
      time,
      ms: (ms) => (Math.round(ms) < 1_000 ? t('ms', { count: Math.round(ms) }) : time(ms)),
      bytes: (count) => tLab('bytes', { count }),
      count: formatCount,
    };
  }, [t, tLab, number]);
}

interface FieldProps {
  label: string;
  value: number;
  bounds: { min: number; max: number };
  onChange(value: number): void;
}

/** A field for an integer within bounds. An invalid input shows an error and keeps the last valid value. */
export function NumberField({ label, value, bounds: { min, max }, onChange }: FieldProps) {
  const t = useTranslations('lab.form');
  const [typed, setTyped] = useState<string>();

  function onInput(text: string): void {
    const number = Number(text);
    const isOk = text.trim() !== '' && Number.isInteger(number) && number >= min && number <= max;
    setTyped(isOk ? undefined : text);
    if (isOk) onChange(number);
  }

  return (
    <TextField
      label={label}
      type="number"
      inputMode="numeric"
      min={min}
      max={max}
      step={1}
      value={typed ?? String(value)}
      error={typed === undefined ? '' : t('between', { min, max })}
      onChange={(event) => onInput(event.target.value)}
    />
  );
}

/** Creates a column of numbers that sorts by them. */
export function numberColumn<Row>(
  id: string,
  header: string,
  read: (row: Row) => number,
  format: (value: number) => string,
): Column<Row> {
  return { id, header, kind: 'number', sortBy: read, cell: (row) => format(read(row)) };
}
