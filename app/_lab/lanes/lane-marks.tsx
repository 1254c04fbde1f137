import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { classNames } from '../../_components/ui/class-names';
import { columnPx, countColumns, drawStacks, drawStrokes } from './call-blocks';
import styles from './lanes.module.css';

interface Props {
  spanMs: number;
  windowMs: number;
  /** Calls above the line, filled. */
  above: readonly number[];
  /** Calls below the line, outlined. Without them the lane has only an upper half. */
  below?: readonly number[] | undefined;
  /** Times of strokes across the line. */
  strokes?: readonly number[] | undefined;
  /** The calls that scale this lane and those next to it. Default: this lane only. */
  comparedWith?: readonly number[] | undefined;
  /** True while the calls are undecided. Default: false. */
  isWaiting?: boolean;
  /** Overlay of the drawing. */
  children?: ReactNode;
}

/** Maximum blocks of a column above the line, and below it. */
const MAX_BLOCKS = 3;
const lineGap = 2;

/** Calls as blocks on a time line, with the edges of fixed windows. */
export function LaneMarks(props: Props) {
  const { spanMs, windowMs, above, below, strokes, comparedWith, isWaiting, children } = props;
  const frame = useRef<HTMLDivElement>(null);
  const widthPx = useWidth(frame);
  const axis = { spanMs, widthPx };
  const halfPx = columnPx * MAX_BLOCKS;
  const heightPx = below ? 2 * (halfPx + lineGap) : halfPx + lineGap;
  const linePx = halfPx + 1;
  const scale = comparedWith ? [comparedWith] : [above, below ?? []];
  const maxCount = Math.max(1, ...scale.flatMap((list) => countColumns(list, axis)));
  const stacks = { maxCount, widthPx, heightPx: halfPx };

  return (
    <div ref={frame} className={styles.lane} style={{ height: heightPx }}>
      {listEdges(spanMs, windowMs).map((at) => (
        <span key={at} className={styles.edge} style={{ left: `${(at / spanMs) * 100}%` }} />
      ))}
      {children}
      <svg aria-hidden="true" className={styles.drawing}>
        <path className={styles.line} d={`M0 ${linePx}h${widthPx}`} />
        {widthPx > 0 && (
          <>
            {strokes && (
              <path
                className={styles.stroke}
                d={drawStrokes(strokes, { ...axis, top: linePx - 4, height: 8 })}
              />
            )}
            <path
              className={isWaiting ? styles.waiting : styles.above}
              d={drawStacks({
                ...stacks,
                columns: countColumns(above, axis),
                basePx: halfPx,
                direction: 'up',
              })}
            />
            {below && (
              <path
                className={styles.below}
                d={drawStacks({
                  ...stacks,
                  columns: countColumns(below, axis),
                  basePx: halfPx + 2 * lineGap,
                  direction: 'down',
                  isHollow: true,
                })}
              />
            )}
          </>
        )}
      </svg>
    </div>
  );
}

/** Lists the edges between fixed windows. Returns none if there are too many to distinguish. */
function listEdges(spanMs: number, windowMs: number): number[] {
  const count = Math.ceil(spanMs / windowMs) - 1;
  return count > 40 ? [] : Array.from({ length: Math.max(0, count) }, (_, index) => (index + 1) * windowMs);
}

/** Measures an element's width in whole CSS pixels. Returns 0 before the first measurement. */
function useWidth(element: RefObject<Element | null>): number {
  const [width, setWidth] = useState(0);

  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);

  return width;
}

interface WorstBandProps {
  /** End of the window. */
  endsAt: number;
  windowMs: number;
  spanMs: number;
  isOver: boolean;
}

/**
 * The fullest window of a lane. Its count is next to the lane, where it covers no call. A window that ends soon after
 * the first call is drawn from the start of the lane: the same calls are in it, and its whole length shows.
 */
export function WorstBand({ endsAt, windowMs, spanMs, isOver }: WorstBandProps) {
  const startsAt = Math.max(0, endsAt - windowMs);
  const from = startsAt / spanMs;
  const to = Math.min(spanMs, startsAt + windowMs) / spanMs;
  return (
    <div
      aria-hidden="true"
      className={classNames(styles.band, isOver && styles.over)}
      style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
    />
  );
}

/** A line across a lane at the selected time. */
export function Playhead({ share }: { share: number }) {
  return (
    <div
      aria-hidden="true"
      className={styles.playhead}
      style={{ left: `${Math.min(1, Math.max(0, share)) * 100}%` }}
    />
  );
}
