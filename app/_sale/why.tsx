import { useTranslations } from 'next-intl';
import { type RefCallback, useState } from 'react';
import { InPlaceOf } from '../_components/problem-note';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { useLocalTime } from '../_i18n/local-time';
import { useDurations, usePeriod } from '../_i18n/use-durations';
import type { PolicyRefusal } from '../_window/refusals';
import styles from './sale.module.css';

const width = 1_000;
/** Space at both ends for half a mark, in units of the view box. */
const margin = 6;

const timeFormat = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 1,
  hourCycle: 'h23',
} as const;

interface WhyProps {
  refusal: PolicyRefusal;
  /** The refusal has ended. */
  isOver: boolean;
  onToggle?(isOpen: boolean): void;
}

/** Scrolls a part into view: the bar of a phone covers the end of the screen. */
function showAll(part: Element | null): void {
  part?.scrollIntoView({ block: 'nearest' });
}

/**
 * An expandable drawing of the hits that filled the window. Only a sliding log stores its hits,
 * so other algorithms show nothing.
 */
export function Why({ refusal, isOver, onToggle }: WhyProps) {
  const t = useTranslations('why');
  const [wasOpened, setWasOpened] = useState(false);
  if (refusal.algorithm !== 'sliding-log') return null;
  return (
    <details
      className={styles.why}
      onToggle={({ currentTarget }) => {
        setWasOpened(true);
        if (currentTarget.open) showAll(currentTarget);
        onToggle?.(currentTarget.open);
      }}
    >
      <summary>{t('title')}</summary>
      {wasOpened && (
        <div className={isOver ? styles.over : undefined}>
          <RefusalDrawing ref={showAll} refusal={refusal} isOver={isOver} />
        </div>
      )}
    </details>
  );
}

interface DrawingProps {
  refusal: PolicyRefusal;
  /** The refusal has ended, so its text is in the past tense. */
  isOver: boolean;
  ref: RefCallback<HTMLElement>;
}

/** Draws the window at the refusal: its hits, the oldest one, and the next free slot. */
function RefusalDrawing({ refusal, isOver, ref }: DrawingProps) {
  const t = useTranslations('why');
  const formatLocal = useLocalTime();
  const { length } = useDurations();
  const formatPeriod = usePeriod();
  const { level, limit, windowMs } = refusal;
  const { hits, leaving, refusedAt, freeAt, from, until } = explainRefusal(refusal);
  const xOf = (instant: number) =>
    margin + Math.round(((instant - from) / (until - from)) * (width - 2 * margin));
  const whose = level === 'global' ? 'everyone' : 'you';
  const values = { limit, window: formatPeriod(windowMs), length: length(windowMs) };
  const texts = [t(whose, values), t(`${whose}Then`, values)] as const;

  return (
    <div ref={ref} className={classNames(layout.stack3, styles.drawing)}>
      <p>
        <InPlaceOf text={texts[isOver ? 0 : 1]}>{texts[isOver ? 1 : 0]}</InPlaceOf>
      </p>
      <svg
        aria-hidden="true"
        className={styles.strip}
        viewBox={`0 0 ${width} 100`}
        preserveAspectRatio="none"
      >
        <rect
          fill="var(--accent-soft)"
          x={xOf(refusedAt - windowMs)}
          y="30"
          width={xOf(refusedAt) - xOf(refusedAt - windowMs)}
          height="70"
        />
        <g fill="none" strokeWidth="2">
          <path
            stroke="var(--line-strong)"
            strokeDasharray="3 3"
            d={`M${xOf(leaving)} 60V8H${xOf(freeAt)}V60`}
          />
          <path stroke="var(--accent)" d={hits.map((hit) => `M${xOf(hit)} 100V60`).join('')} />
        </g>
        <g strokeWidth="5">
          <path stroke="var(--accent)" d={`M${xOf(leaving)} 100V60`} />
          <path stroke="var(--wait)" d={`M${xOf(refusedAt)} 100V30`} />
          <path stroke="var(--good)" d={`M${xOf(freeAt)} 100V30`} />
        </g>
      </svg>
      <dl className={layout.stack1}>
        {(
          [
            ['leaving', leaving],
            ['refused', refusedAt],
            ['free', freeAt],
          ] as const
        ).map(([name, instant]) => (
          <div key={name} className={classNames(layout.words3, layout.apart, styles.time)}>
            <dt>{t(`when.${name}`)}</dt>
            <dd className={classNames(layout.strong, layout.figures, styles.instant)}>
              {formatLocal(instant, timeFormat)}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

interface Explanation {
  /** The hits that filled the window, oldest first; empty if unknown. */
  hits: number[];
  /** The hit whose leaving ends the refusal. Computed from the wait if that hit is unknown. */
  leaving: number;
  refusedAt: number;
  /** The instant of the next free slot. */
  freeAt: number;
  /** The range of the drawing. */
  from: number;
  until: number;
}

/** The browser's instant of a refusal includes the network delay. The instants of hits are Redis's and have none. */
const MAX_NETWORK_DELAY_MS = 1_000;

/** Places a refusal on a time line, in epoch ms of the server's clock. */
export function explainRefusal({
  refusedAt,
  retryAfterMs,
  windowMs,
  hits = [],
}: Pick<PolicyRefusal, 'refusedAt' | 'retryAfterMs' | 'windowMs' | 'hits'>): Explanation {
  const expected = refusedAt + retryAfterMs - windowMs;
  const distance = (hit: number) => Math.abs(hit - expected);
  const [nearest] = hits.toSorted((a, b) => distance(a) - distance(b));
  const leaving = nearest !== undefined && distance(nearest) < MAX_NETWORK_DELAY_MS ? nearest : expected;
  const freeAt = leaving + windowMs;
  const from = refusedAt - windowMs;
  return { hits, leaving, refusedAt, freeAt, from, until: Math.max(freeAt, refusedAt) };
}
