import { useTranslations } from 'next-intl';
import type { ComponentProps } from 'react';
import { SelectField, TextField } from '../../_components/ui/field';
import styles from './duration-fields.module.css';
import { durationUnits } from './limit-change';

interface Props extends ComponentProps<typeof TextField> {
  unit: string;
  onUnit(unit: string): void;
}

/** The number of a duration and its unit, next to each other. Needs the namespace `ops`. */
export function DurationFields({ unit, onUnit, ...amount }: Props) {
  const t = useTranslations('ops');
  return (
    <div className={styles.fields}>
      <TextField type="number" inputMode="numeric" min={1} {...amount} />
      <SelectField
        label={t('unit')}
        value={unit}
        options={durationUnits.map((one) => ({ value: one, label: t(`units.${one}`) }))}
        onChange={onUnit}
      />
    </div>
  );
}
