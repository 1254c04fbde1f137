import { type ReactNode, useRef } from 'react';
import { columnPx, columnsOf, stacksPath, strokesPath } from './call-blocks';
import styles from './lane-marks.module.css';
import { useWidth } from './use-width';

interface Props {
  spanMs: number;
  windowMs: number;
  /** Filled, above the line. */
  above: readonly number[];
  /** Hollow, below the line; absent: the lane has no such half. */
  below?: readonly number[] | undefined;
  /** Strokes across the line. */
  strokes?: readonly number[] | undefined;
  /** The highest stack of all lanes that are compared; absent: of this one. */
  comparedWith?: readonly (readonly number[])[] | undefined;
  /** The calls still wait for their decisions. Default: false. */
  isWaiting?: boolean;
  /** What is laid over the drawing, in shares of its width. */
  children?: ReactNode;
}

/** So many blocks fit above a line, and below it. */
const rows = 6;
const lineGap = 2;

/** Calls as blocks along a line of time. The edges of fixed windows are ruled. */
export function LaneMarks(props: Props) {
  const { spanMs, windowMs, above, below, strokes, comparedWith, isWaiting, children } = props;
  const frame = useRef<HTMLDivElement>(null);
  const widthPx = useWidth(frame);
  const axis = { spanMs, widthPx };
  const halfPx = columnPx * rows;
  const heightPx = below ? 2 * (halfPx + lineGap) : halfPx + lineGap;
  const linePx = halfPx + 1;
  const most = Math.max(
    1,
    ...(comparedWith ?? [above, below ?? []]).flatMap((list) => columnsOf(list, axis)),
  );
  const stacks = { most, widthPx, heightPx: halfPx };

  return (
    <div ref={frame} className={styles.lane} style={{ height: heightPx }}>
      {edgesIn(spanMs, windowMs).map((at) => (
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
                d={strokesPath(strokes, { ...axis, top: linePx - 4, height: 8 })}
              />
            )}
            <path
              className={isWaiting ? styles.waiting : styles.above}
              d={stacksPath({
                ...stacks,
                columns: columnsOf(above, axis),
                basePx: halfPx,
                direction: 'up',
              })}
            />
            {below && (
              <path
                className={styles.below}
                d={stacksPath({
                  ...stacks,
                  columns: columnsOf(below, axis),
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

/** Where one fixed window ends and the next begins; none where they would stand too close to be told apart. */
function edgesIn(spanMs: number, windowMs: number): number[] {
  const count = Math.ceil(spanMs / windowMs) - 1;
  return count > 40 ? [] : Array.from({ length: Math.max(0, count) }, (_, place) => (place + 1) * windowMs);
}
