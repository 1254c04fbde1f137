import { useTranslations } from 'next-intl';
import { SelectField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { findPreset, type PresetName, presets } from '../presets';

interface Props {
  value: PresetName;
  /** True if the scenario no longer has the numbers of the preset. */
  isChanged: boolean;
  onChange(value: PresetName): void;
}

/** Selects a preset and describes its calls. */
export function PresetChoice({ value, isChanged, onChange }: Props) {
  const t = useTranslations('lab.preset');
  const tClaim = useTranslations('lab.claim');
  return (
    <div className={layout.stack2}>
      <SelectField
        label={t('label')}
        value={value}
        options={presets.map(({ name }) => ({ value: name, label: t(`${name}.name`) }))}
        onChange={(name) => onChange(findPreset(name).name)}
      />
      <p className={layout.hint} role="status">
        {isChanged ? tClaim('changed') : t(`${value}.about`)}
      </p>
    </div>
  );
}
