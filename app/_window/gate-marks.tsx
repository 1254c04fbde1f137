import { useEffect, useRef } from 'react';
import type { RefusedMark } from '../_live/live-snapshot';
import styles from './gate-marks.module.css';
import { useCalm } from './use-calm';

/** Heights at which refused calls bounce off, in an order that spreads few as well as many; in hundredths. */
const heights = [50, 22, 76, 36, 90, 10, 63, 30, 83];

const flashMs = 700;

/** Refused calls at the gate: a few strokes that bounce off it, as many as were refused at once, up to nine. */
export function GateMarks({ refused }: { refused: readonly RefusedMark[] }) {
  const flash = useRef<HTMLDivElement>(null);
  const isCalm = useCalm();
  const newest = refused.at(-1);
  const at = newest?.at;
  const strokes = heights.slice(0, newest?.count ?? 0);

  useEffect(() => {
    if (at === undefined) return;
    const shown = flash.current?.animate(
      isCalm
        ? { opacity: [1, 1] }
        : { opacity: [1, 1, 0], transform: ['translateX(0)', 'translateX(60%)', 'translateX(80%)'] },
      { duration: flashMs, easing: 'cubic-bezier(0.2, 0, 0.4, 1)' },
    );
    return () => shown?.cancel();
  }, [at, isCalm]);

  return (
    <div className={styles.apron}>
      <div ref={flash} className={styles.flash}>
        <svg aria-hidden="true" className={styles.strokes} viewBox="0 0 100 100" preserveAspectRatio="none">
          <path d={strokes.map((height, place) => `M${place % 2 ? 18 : 6} ${height}h44`).join('')} />
        </svg>
      </div>
    </div>
  );
}
