import { useTranslations } from 'next-intl';
import { bounds, type Scenario } from '../scenario';
import styles from './sub-windows.module.css';
import type { Draft } from './use-scenario';

interface Props {
  scenario: Scenario;
  onChange(changes: Partial<Draft>): void;
}

/** A slider for the sub-windows of the sliding counter. */
export function SubWindows({ scenario: { subWindows }, onChange }: Props) {
  const t = useTranslations('lab.form');
  const text = t('subWindowsOf', { count: subWindows });
  return (
    <div className={styles.row}>
      <input
        type="range"
        className={styles.range}
        aria-label={t('subWindows')}
        aria-valuetext={text}
        min={bounds.subWindows.min}
        max={bounds.subWindows.max}
        step={1}
        value={subWindows}
        onChange={(event) => onChange({ subWindows: event.target.valueAsNumber })}
      />
      <span className={styles.value}>{text}</span>
    </div>
  );
}
