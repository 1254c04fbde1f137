import { Hand } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useRef } from 'react';
import { Button } from '../../_components/ui/button';
import { stopwatch } from '../../_live/clock';
import { MAX_OFFSETS } from '../scenario';
import styles from './tap-pad.module.css';

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

interface TapClock {
  /** Returns the offset of a tap at this moment from the first tap, in whole ms. */
  offset(): number;
  restart(): void;
}

/** A resumed recording continues this long after its last tap. */
const RESUME_GAP_MS = 1_000;

/** The clock of a recording. It starts with the first tap, or continues a recording from the URL. */
function useTapClock(taps: readonly number[]): TapClock {
  const zeroAt = useRef<number>(undefined);
  return {
    offset() {
      const now = stopwatch.now();
      const last = taps.at(-1);
      zeroAt.current ??= last === undefined ? now : now - last - RESUME_GAP_MS;
      return Math.max(last ?? 0, Math.round(now - zeroAt.current));
    },
    restart() {
      zeroAt.current = undefined;
    },
  };
}
