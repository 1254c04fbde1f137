import { Play } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { useDurations } from '../../_i18n/use-durations';
import { useTRPCClient } from '../../_trpc/client';
import { KeyList } from '../key-list';
import { LaneMarks, WorstBand } from '../lanes/lane-marks';
import { CallStatus, useLimitedCall } from '../limited-call';
import type { MistakeName, MistakeSide } from '../types';
import { MistakeDetails } from './mistake-details';
import { MistakeFrame, Side, useFigures } from './mistake-frame';

/** A mistake and the product under the same calls, on the lab's clock. */
export function MistakeCard({ name }: { name: MistakeName }) {
  const t = useTranslations('lab');
  const { length } = useDurations();
  const { createMistakeFigure } = useFigures();
  const client = useTRPCClient();
  const call = useLimitedCall((_: null, signal) => client.lab.mistake.mutate({ mistake: name }, { signal }));
  const mistake = call.data;
  const spanMs = mistake ? getSpanMs([mistake.naive, mistake.product], mistake.windowMs) : 1;
  const side = (which: 'naive' | 'product', title: string) => {
    const one = mistake?.[which];
    return (
      <Side
        title={title}
        figure={mistake && createMistakeFigure(mistake, which)}
        facts={[
          { name: t('side.admitted'), value: one ? t('side.calls', { count: one.admitted }) : '–' },
          { name: t('side.refused'), value: one ? t('side.calls', { count: one.refused }) : '–' },
          { name: t('side.roundTrips'), value: one?.roundTrips ?? '–' },
        ]}
      >
        <MistakeLane
          side={one}
          spanMs={spanMs}
          windowMs={mistake?.windowMs ?? 1}
          limit={mistake?.limit ?? 0}
        />
      </Side>
    );
  };

  return (
    <MistakeFrame
      title={t(`mistake.${name}.title`)}
      naive={t(`mistake.${name}.naive`)}
      why={t(`mistake.${name}.why`)}
      start={
        <CallStatus
          call={call}
          label={
            <>
              <Play size={18} aria-hidden="true" />
              {t('mistake.start')}
            </>
          }
          onStart={() => call.start(null)}
          idle={
            mistake
              ? t('mistake.rule', { limit: mistake.limit, window: length(mistake.windowMs) })
              : t('mistake.idle')
          }
        />
      }
      sides={
        <>
          {side('naive', t(`mistake.${name}.naive`))}
          {side('product', t('mistake.product'))}
        </>
      }
    >
      {mistake && (
        <>
          <MistakeDetails mistake={mistake} />
          <KeyList
            groups={[
              { name: t('mistake.keysOf.naive'), keys: mistake.naive.keys },
              { name: t('mistake.keysOf.product'), keys: mistake.product.keys },
            ]}
          />
        </>
      )}
    </MistakeFrame>
  );
}

function getSpanMs(sides: readonly MistakeSide[], windowMs: number): number {
  const ends = sides.map(({ decisions }) => decisions.at(-1)?.at ?? 0);
  return Math.max(...ends) + Math.round(windowMs / 10);
}

interface Props {
  /** `undefined` before the first run. */
  side: MistakeSide | undefined;
  spanMs: number;
  windowMs: number;
  limit: number;
}

const noTimes: readonly number[] = [];

/** The calls of one version and its fullest window. */
function MistakeLane({ side, spanMs, windowMs, limit }: Props) {
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
