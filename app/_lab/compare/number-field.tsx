import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { TextField } from '../../_components/ui/field';

interface Props {
  label: string;
  value: number;
  bounds: { least: number; most: number };
  onChange(value: number): void;
}

/** A whole number within bounds. What is out of them is said and changes nothing; what was valid last stays in force. */
export function NumberField({ label, value, bounds: { least, most }, onChange }: Props) {
  const t = useTranslations('lab.form');
  const [typed, setTyped] = useState<string>();

  function read(text: string): void {
    const number = Number(text);
    const isFine = text.trim() !== '' && Number.isInteger(number) && number >= least && number <= most;
    setTyped(isFine ? undefined : text);
    if (isFine) onChange(number);
  }

  return (
    <TextField
      label={label}
      type="number"
      inputMode="numeric"
      min={least}
      max={most}
      step={1}
      value={typed ?? String(value)}
      error={typed === undefined ? '' : t('between', { least, most })}
      onChange={(event) => read(event.target.value)}
    />
  );
}
