import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { TextField } from '../_components/ui/field';

interface Props {
  label: string;
  value: number;
  bounds: { min: number; max: number };
  onChange(value: number): void;
}

/** A field for an integer within bounds. An invalid input shows an error and keeps the last valid value. */
export function NumberField({ label, value, bounds: { min, max }, onChange }: Props) {
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
