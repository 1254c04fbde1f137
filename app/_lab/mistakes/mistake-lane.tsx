import { useMemo } from 'react';
import { LaneMarks } from '../lanes/lane-marks';
import { WorstBand } from '../lanes/worst-band';
import type { MistakeSide } from '../types';

interface Props {
  /** `undefined` before the first run. */
  side: MistakeSide | undefined;
  spanMs: number;
  windowMs: number;
  limit: number;
}

const noTimes: readonly number[] = [];

/** The calls of one version and its fullest window. */
export function MistakeLane({ side, spanMs, windowMs, limit }: Props) {
  const { all, admitted, refused } = useMemo(() => {
    const instants = (allowed: boolean) =>
      side?.decisions.filter((call) => call.allowed === allowed).map(({ at }) => at) ?? noTimes;
    return {
      all: side?.decisions.map(({ at }) => at) ?? noTimes,
      admitted: instants(true),
      refused: instants(false),
    };
  }, [side]);

  return (
    <LaneMarks spanMs={spanMs} windowMs={windowMs} above={admitted} below={refused} comparedWith={[all]}>
      {side && side.worstWindowEndsAt !== null && (
        <WorstBand
          endsAt={side.worstWindowEndsAt}
          windowMs={windowMs}
          spanMs={spanMs}
          count={side.worstWindow}
          limit={limit}
        />
      )}
    </LaneMarks>
  );
}
