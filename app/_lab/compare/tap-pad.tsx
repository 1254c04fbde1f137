import { Hand } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { Button } from '../../_components/ui/button';
import { MAX_OFFSETS } from '../offsets-text';
import styles from './tap-pad.module.css';
import { useTapClock } from './use-tap-clock';

interface Props {
  /** Offsets from the first tap, in ms. */
  taps: readonly number[];
  onChange(taps: readonly number[]): void;
}

/** Records clicks and key presses as calls. */
export function TapPad({ taps, onChange }: Props) {
  const t = useTranslations('lab.taps');
  const clock = useTapClock(taps);

  return (
    <div className={styles.pad}>
      <Button
        size="large"
        closed={taps.length >= MAX_OFFSETS}
        onClick={() => onChange([...taps, clock.offset()])}
      >
        <Hand size={20} aria-hidden="true" />
        {t('tap')}
      </Button>
      <Button
        variant="quiet"
        closed={taps.length === 0}
        onClick={() => {
          clock.restart();
          onChange([]);
        }}
      >
        {t('again')}
      </Button>
      <p className={styles.count} role="status">
        {t('count', { count: taps.length })}
      </p>
    </div>
  );
}
