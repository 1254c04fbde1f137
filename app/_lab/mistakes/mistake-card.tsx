import { Play } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { Notice } from '../../_components/ui/status';
import { usePeriod } from '../../_i18n/use-durations';
import { useTRPCClient } from '../../_trpc/client';
import { KeyList } from '../key-list';
import { LaneMarks, WorstBand } from '../lanes/lane-marks';
import { CallStatus, useLimitedCall } from '../limited-call';
import type { Card, MistakeSide } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import { GroupLanes } from './group-lanes';
import { type ChosenBy, MistakeFrame, Side } from './mistake-frame';

interface CardProps {
  card: Card;
  chosenBy: ChosenBy;
}

/** A mistake and the product under the same calls, on the lab's clock. */
export function MistakeCard({ card, chosenBy }: CardProps) {
  const { id, title, naive, why, verdicts, product, third, groups } = card;
  const t = useTranslations('labMistakes');
  const tVerdict = useTranslations('lab.verdict');
  const formatPeriod = usePeriod();
  const { count } = useLabNumbers();
  const client = useTRPCClient();
  const call = useLimitedCall((_: null, signal) => client.lab.mistake.mutate({ mistake: id }, { signal }));
  const mistake = call.data;
  const isEarlier = mistake !== undefined && call.wasCancelled;
  const spanMs = mistake ? getSpanMs([mistake.naive, mistake.product], mistake.windowMs) : 1;
  const { wrong, right } = verdicts ?? { wrong: tVerdict('broken'), right: tVerdict('kept') };

  function nameFigure({ counts }: MistakeSide['figure']): string {
    const served = groups?.at(-1);
    return counts === 'served' && served
      ? t('side.figure.ofGroup', { group: served })
      : t(`side.figure.${counts}`);
  }

  function describeFigure({ figure }: MistakeSide) {
    const { value, of, isOk } = figure;
    const max = Math.max(of, mistake?.naive.figure.value ?? 0);
    return {
      name: nameFigure(figure),
      text: of > 0 ? t('side.count', { count: value, limit: of }) : count(value),
      isOk,
      verdict: isOk ? right : wrong,
      bar: { value, limit: of, max },
    };
  }

  function renderSide(name: string, side: MistakeSide | undefined) {
    return (
      <Side
        title={name}
        figure={side && describeFigure(side)}
        facts={[
          { name: t('side.admitted'), value: side ? t('side.calls', { count: side.admitted }) : '–' },
          { name: t('side.refused'), value: side ? t('side.calls', { count: side.refused }) : '–' },
          { name: t('side.roundTrips'), value: side?.roundTrips ?? '–' },
        ]}
      >
        {groups ? (
          <GroupLanes
            names={groups}
            groups={side?.groups}
            spanMs={spanMs}
            windowMs={mistake?.windowMs ?? 1}
          />
        ) : (
          <MistakeLane
            side={side}
            spanMs={spanMs}
            windowMs={mistake?.windowMs ?? 1}
            limit={mistake?.limit ?? 0}
          />
        )}
      </Side>
    );
  }

  return (
    <MistakeFrame
      title={title}
      isEarlier={isEarlier}
      chosenBy={chosenBy}
      why={why}
      start={
        <CallStatus
          call={call}
          icon={Play}
          label={t('start')}
          onStart={() => call.start(null)}
          isEarlier={isEarlier}
          idle={
            mistake
              ? t('rule', { limit: mistake.limit, window: formatPeriod(mistake.windowMs) })
              : t('idle', { versions: third ? 3 : 2 })
          }
        />
      }
      sides={
        <>
          {renderSide(naive, mistake?.naive)}
          {renderSide(product ?? t('product'), mistake?.product)}
          {third && renderSide(third, mistake?.third ?? undefined)}
        </>
      }
    >
      {mistake && <Notice>{mistake.measured}</Notice>}
      {mistake && mistake.product.keys.length > 0 && (
        <KeyList
          groups={[
            { name: t('keysOf.naive'), keys: mistake.naive.keys },
            { name: t('keysOf.product'), keys: mistake.product.keys },
          ]}
        />
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
      {side &&
        side.worstWindowEndsAt !== null &&
        side.figure.value === side.worstWindow &&
        side.figure.of === limit && (
          <WorstBand
            endsAt={side.worstWindowEndsAt}
            windowMs={windowMs}
            spanMs={spanMs}
            isOver={side.worstWindow > limit}
          />
        )}
    </LaneMarks>
  );
}
