import { Hand } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useRef } from 'react';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { useDurations } from '../../_i18n/use-durations';
import { stopwatch } from '../../_live/clock';
import { useTRPCClient } from '../../_trpc/client';
import { StartButton, useExperiment } from '../experiment';
import { LaneMarks } from '../lanes/lane-marks';
import { MAX_OFFSETS } from '../scenario';

/** A short recording is drawn at this scale, so that its marks do not move. */
const MIN_DRAWN_MS = 5_000;

interface TapPadProps {
  /** Offsets from the first tap, in ms. */
  taps: readonly number[];
  windowMs: number;
  onChange(taps: readonly number[]): void;
}

/** Records clicks and key presses as calls. */
export function TapPad({ taps, windowMs, onChange }: TapPadProps) {
  const t = useTranslations('lab.taps');
  const clock = useTapClock(taps);

  return (
    <>
      <div className={layout.row3}>
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
        <p className={classNames(layout.soft, layout.figures)} role="status">
          {t('count', { count: taps.length })}
        </p>
      </div>
      <LaneMarks spanMs={Math.max(MIN_DRAWN_MS, taps.at(-1) ?? 0)} windowMs={windowMs} above={taps} />
    </>
  );
}

/** A resumed recording continues this long after its last tap. */
const RESUME_GAP_MS = 1_000;

/** The clock of a recording. It starts with the first tap, or continues a recording from the URL. */
function useTapClock(taps: readonly number[]) {
  const zeroAt = useRef<number>(undefined);
  return {
    /** Returns the offset of a tap now from the first tap, in whole ms. */
    offset(): number {
      const now = stopwatch.now();
      const last = taps.at(-1);
      zeroAt.current ??= last === undefined ? now : now - last - RESUME_GAP_MS;
      return Math.max(last ?? 0, Math.round(now - zeroAt.current));
    },
    restart(): void {
      zeroAt.current = undefined;
    },
  };
}

interface LiveCallsProps {
  /** Offsets of the loaded calls, in ms. */
  taken: readonly number[];
  onTake(offsets: readonly number[]): void;
}

/** Loads recent calls of the live sale as the calls of a scenario. */
export function LiveCalls({ taken, onTake }: LiveCallsProps) {
  const t = useTranslations('lab.live');
  const { wait } = useDurations();
  const client = useTRPCClient();
  const experiment = useExperiment(null, async (_, signal) => {
    const offsets = toOffsets((await client.lab.arrivals.query(undefined, { signal })).arrivals);
    onTake(offsets);
    return offsets;
  });
  const isEmpty = experiment.data?.length === 0;
  const time = wait(Math.ceil((taken.at(-1) ?? 0) / 1_000));

  return (
    <StartButton
      experiment={experiment}
      label={t('take')}
      idle={
        <span className={layout.figures}>
          {taken.length > 0 && t('taken', { count: taken.length, time })}
          {taken.length === 0 && !isEmpty && t('idle')}
          {isEmpty &&
            t.rich('none', {
              sale: (text) => (
                <a href="/" target="_blank" rel="noopener">
                  {text}
                </a>
              ),
            })}
        </span>
      }
    />
  );
}

/** Keeps as many of the newest arrivals as a URL can carry, as offsets from the first. */
function toOffsets(arrivals: readonly number[]): number[] {
  const newest = arrivals.slice(-MAX_OFFSETS).map(Math.floor);
  const [first = 0] = newest;
  return newest.map((at) => at - first);
}
