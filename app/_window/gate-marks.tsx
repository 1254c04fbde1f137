import { useEffect, useRef } from 'react';
import type { RefusalMark } from '../_live/live-snapshot';
import styles from './gate-marks.module.css';
import { useReducedMotion } from './use-reduced-motion';

/** Heights of the refused calls in hundredths, ordered so that few and many are spread evenly. */
const heights = [50, 22, 76, 36, 90, 10, 63, 30, 83];

const flashMs = 700;

/** Draws the newest refused calls as strokes that bounce off the gate, at most nine. */
export function GateMarks({ refused }: { refused: readonly RefusalMark[] }) {
  const flash = useRef<HTMLDivElement>(null);
  const isReduced = useReducedMotion();
  const newest = refused.at(-1);
  const at = newest?.at;
  const strokes = heights.slice(0, newest?.count ?? 0);

  useEffect(() => {
    if (at === undefined) return;
    const shown = flash.current?.animate(
      isReduced
        ? { opacity: [1, 1] }
        : { opacity: [1, 1, 0], transform: ['translateX(0)', 'translateX(60%)', 'translateX(80%)'] },
      { duration: flashMs, easing: 'cubic-bezier(0.2, 0, 0.4, 1)' },
    );
    return () => shown?.cancel();
  }, [at, isReduced]);

  return (
    <div className={styles.apron}>
      <div ref={flash} className={styles.flash}>
        <svg aria-hidden="true" className={styles.strokes} viewBox="0 0 100 100" preserveAspectRatio="none">
          <path d={strokes.map((height, index) => `M${index % 2 ? 18 : 6} ${height}h44`).join('')} />
        </svg>
      </div>
    </div>
  );
}
