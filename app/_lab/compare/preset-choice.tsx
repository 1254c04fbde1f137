import { useTranslations } from 'next-intl';
import { SelectField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { findPreset, type PresetName, presets } from '../presets';

interface Props {
  value: PresetName;
  onChange(value: PresetName): void;
}

/** Selects a preset and describes its calls. */
export function PresetChoice({ value, onChange }: Props) {
  const t = useTranslations('lab.preset');
  return (
    <div className={layout.stack2}>
      <SelectField
        label={t('label')}
        value={value}
        options={presets.map(({ name }) => ({ value: name, label: t(`${name}.name`) }))}
        onChange={(name) => onChange(findPreset(name).name)}
      />
      <p className={layout.hint}>{t(`${value}.about`)}</p>
    </div>
  );
}
