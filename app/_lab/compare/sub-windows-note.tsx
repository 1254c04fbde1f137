import { useTranslations } from 'next-intl';
import layout from '../../_components/ui/layout.module.css';
import type { AlgorithmRun } from '../types';
import { useLabNumbers } from '../use-lab-numbers';

interface Props {
  runs: readonly AlgorithmRun[];
  windowMs: number;
  /** Sub-windows of the sliding counter. */
  subWindows: number;
}

/** Compares the sliding counter with the log: its admissions, its memory, and by how much a unit returns late. */
export function SubWindowsNote({ runs, windowMs, subWindows }: Props) {
  const t = useTranslations('lab.numbers');
  const { bytes, ms } = useLabNumbers();
  const counter = runs.find(({ algorithm }) => algorithm === 'sliding-counter');
  const log = runs.find(({ algorithm }) => algorithm === 'sliding-log');
  if (!counter || !log) return null;
  const lengthMs = Math.ceil(windowMs / subWindows);
  return (
    <p className={layout.hint}>
      {t('subWindows', {
        count: subWindows,
        length: ms(lengthMs),
        late: ms(lengthMs - 1),
        worst: counter.worstWindow,
        bound: counter.bound,
        admitted: counter.admitted,
        logAdmitted: log.admitted,
        bytes: bytes(counter.keyBytes),
      })}
    </p>
  );
}
