import { Play } from 'lucide-react';
import { useFormatter, useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { LimitBar } from '../../_components/ui/limit-bar';
import { Notice } from '../../_components/ui/status';
import { usePeriod } from '../../_i18n/use-durations';
import { useTRPCClient } from '../../_trpc/client';
import { StartButton, useExperiment, VerdictBadge } from '../experiment';
import { KeyList } from '../key-list';
import { LaneMarks, WorstBand } from '../lanes/lane-marks';
import { useLabNumbers } from '../numbers';
import { listTimes } from '../runs';
import type { CallGroup, Card, Mistake, MistakeSide } from '../types';
import { type ChosenBy, MistakeFrame } from './mistake-frame';
import styles from './mistakes.module.css';

interface CardProps {
  card: Card;
  chosenBy: ChosenBy;
}

/** A mistake and the product under the same calls, on the lab's clock. */
export function MistakeCard({ card, chosenBy }: CardProps) {
  const t = useTranslations('labMistakes');
  const formatPeriod = usePeriod();
  const client = useTRPCClient();
  const experiment = useExperiment(card.id, (mistake, signal) =>
    client.lab.mistake.mutate({ mistake }, { signal }),
  );
  const mistake = experiment.data;
  const common = { card, mistake };
  const { naive, product } = card.figures;

  return (
    <MistakeFrame
      title={card.title}
      isEarlier={experiment.isEarlier}
      chosenBy={chosenBy}
      why={card.why}
      start={
        <StartButton
          experiment={experiment}
          icon={Play}
          label={t('start')}
          idle={
            mistake
              ? t('rule', { limit: mistake.limit, window: formatPeriod(mistake.windowMs) })
              : t('idle', { versions: card.third ? 3 : 2 })
          }
        />
      }
    >
      <div className={styles.versions}>
        <Version
          name={card.naive}
          side={mistake?.naive}
          measured={{ figure: naive, isOk: false }}
          {...common}
        />
        <Version
          name={card.product ?? t('product')}
          side={mistake?.product}
          measured={{ figure: product, isOk: true }}
          {...common}
        />
        {card.third && <Version name={card.third} side={mistake?.third ?? undefined} {...common} />}
      </div>
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

interface VersionProps {
  name: string;
  card: Card;
  /** The run of all versions. `undefined` before the first one. */
  mistake: Mistake | undefined;
  /** The run of this version. */
  side: MistakeSide | undefined;
  /** The figure of earlier runs, shown before the first one. */
  measured?: { figure: Card['figures']['naive']; isOk: boolean };
}

const emptyBar = { value: 0, limit: 1, max: 1 } as const;

/** One version of a limiter with its result under a load. */
function Version({ name, card, mistake, side, measured }: VersionProps) {
  const t = useTranslations('labMistakes.side');
  const tVerdict = useTranslations('lab.verdict');
  const { count } = useLabNumbers();
  const { verdicts, groups } = card;
  const { wrong, right } = verdicts ?? { wrong: tVerdict('broken'), right: tVerdict('kept') };
  const windowMs = mistake?.windowMs ?? 1;
  const spanMs = mistake ? getSpanMs(mistake) : 1;
  const known = measured && { value: measured.figure[0], of: measured.figure[1], isOk: measured.isOk };
  const figure = side?.figure ?? known;

  function nameFigure({ counts }: MistakeSide['figure']): string {
    const served = groups?.at(-1);
    return counts === 'served' && served ? t('figure.ofGroup', { group: served }) : t(`figure.${counts}`);
  }

  function formatFigure({ value, of }: Pick<MistakeSide['figure'], 'value' | 'of'>): string {
    return of > 0 ? t('count', { count: value, limit: of }) : count(value);
  }

  return (
    <div className={styles.version}>
      <h4 className={classNames(layout.hint, styles.versionTitle)}>{name}</h4>
      <div className={classNames(layout.stack2, layout.top, styles.result)}>
        {/* The name depends on the run. Its line is reserved. */}
        <p className={classNames(layout.hint, styles.figureName)}>
          {side ? nameFigure(side.figure) : known ? t('measuredBefore') : '\u00a0'}
        </p>
        <div className={styles.figure}>
          <span className={styles.count}>{figure ? formatFigure(figure) : '–'}</span>
          {figure && <VerdictBadge isOk={figure.isOk}>{figure.isOk ? right : wrong}</VerdictBadge>}
        </div>
        <LimitBar
          {...(figure
            ? {
                value: figure.value,
                limit: figure.of,
                max: Math.max(figure.of, mistake?.naive.figure.value ?? card.figures.naive[0]),
              }
            : emptyBar)}
        />
        <dl className={classNames(layout.stack1, layout.small, layout.figures, styles.facts)}>
          <Fact name={t('admitted')}>{side ? t('calls', { count: side.admitted }) : '–'}</Fact>
          <Fact name={t('refused')}>{side ? t('calls', { count: side.refused }) : '–'}</Fact>
          <Fact name={t('roundTrips')}>{side?.roundTrips ?? '–'}</Fact>
        </dl>
        {groups ? (
          <GroupLanes names={groups} groups={side?.groups} spanMs={spanMs} windowMs={windowMs} />
        ) : (
          <MistakeLane side={side} spanMs={spanMs} windowMs={windowMs} limit={mistake?.limit ?? 0} />
        )}
      </div>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classNames(layout.line3, layout.apart)}>
      <dt className={layout.soft}>{name}</dt>
      <dd className={layout.strong}>{children}</dd>
    </div>
  );
}

/** All versions have the scale of the first two. */
function getSpanMs({ naive, product, windowMs }: Mistake): number {
  const ends = [naive, product].map(({ decisions }) => decisions.at(-1)?.at ?? 0);
  return Math.max(...ends) + Math.round(windowMs / 10);
}

interface LaneProps {
  /** `undefined` before the first run. */
  side: MistakeSide | undefined;
  spanMs: number;
  windowMs: number;
  limit: number;
}

/** The calls of one version and its fullest window. */
function MistakeLane({ side, spanMs, windowMs, limit }: LaneProps) {
  const decisions = side?.decisions ?? [];
  return (
    <LaneMarks
      spanMs={spanMs}
      windowMs={windowMs}
      above={listTimes(decisions, true)}
      below={listTimes(decisions, false)}
      comparedWith={decisions.map(({ at }) => at)}
    >
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

interface GroupsProps {
  names: readonly string[];
  /** In the order of the names. `undefined` before the first run. */
  groups: readonly CallGroup[] | undefined;
  spanMs: number;
  windowMs: number;
}

/** One lane for each group of callers, with its tally and its refused callers. Each lane has a scale of its own. */
function GroupLanes({ names, groups, spanMs, windowMs }: GroupsProps) {
  const t = useTranslations('labMistakes.group');
  const { list } = useFormatter();
  return (
    <ul className={layout.stack2}>
      {names.map((name, index) => {
        const { admittedAt = [], refusedAt = [], refused = [] } = groups?.[index] ?? {};
        const callers = refused.map(({ caller, calls }) => t('caller', { caller, count: calls }));
        const tally = { admitted: admittedAt.length, count: admittedAt.length + refusedAt.length };
        return (
          <li key={name}>
            <p className={classNames(layout.words3, layout.apart, layout.small, styles.groupHead)}>
              <span>{name}</span>
              <span className={classNames(layout.figures, layout.strong)}>
                {groups ? t('tally', tally) : '–'}
              </span>
            </p>
            <LaneMarks spanMs={spanMs} windowMs={windowMs} above={admittedAt} below={refusedAt} />
            {callers.length > 0 && (
              <p className={classNames(layout.hint, layout.figures, styles.refused)}>
                {t('refused', { callers: list(callers, { type: 'conjunction', style: 'narrow' }) })}
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
}
