import Link from 'next/link';
import { useFormatter, useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { usePeriod } from '../../_i18n/use-durations';
import { Terms } from '../details';
import { LimitBadge, ResultSection, VerdictBadge } from '../experiment';
import styles from '../lab.module.css';
import { LaneMarks, WorstBand } from '../lanes/lane-marks';
import { useLabNumbers } from '../numbers';
import type { Examination } from '../types';
import own from './examine.module.css';

interface Props {
  /** The examined limiter. */
  title: string;
  examination: Examination;
}

/** The result of an examination: the name found, the measured facts, the calls on a time line, and what to change. */
export function ExaminationReport({ title, examination }: Props) {
  const t = useTranslations('labExamine');
  const { list } = useFormatter();
  const { names, advice, lab, evidence, subWindows } = examination;
  const name =
    names.length === 0
      ? t('none')
      : list(
          names.map((name) =>
            name === 'sliding-counter' && subWindows
              ? t('subWindows', { name: t(`names.${name}`), count: subWindows })
              : t(`names.${name}`),
          ),
          { type: 'disjunction' },
        );

  return (
    <ResultSection title={title}>
      <div>
        <p className={layout.hint}>{t('found')}</p>
        <p className={own.found}>{name}</p>
      </div>
      <Facts examination={examination} />
      <Timeline examination={examination} />
      <p>
        <strong>{t('change')}</strong> {t(`advice.${advice}`)}{' '}
        {lab && (
          <Link prefetch={false} href={`/lab${lab}`}>
            {t('card')}
          </Link>
        )}
      </p>
      <Terms
        title={t('evidence')}
        terms={evidence.map(({ name, contradictions }) => ({
          name: t(`names.${name}`),
          means: t('against', { count: contradictions }),
        }))}
      />
    </ResultSection>
  );
}

/** The measured facts, each with a verdict if it can be wrong. */
function Facts({ examination }: { examination: Examination }) {
  const t = useTranslations('labExamine.facts');
  const { count, ms } = useLabNumbers();
  const { list, number } = useFormatter();
  const period = usePeriod();
  const { limit, windowMs, countsRefusals, worst, edge, burst, bypasses, headers, areHeadersTrue } =
    examination;
  const { isRetryAfterTrue } = examination;
  const narrow = (values: readonly string[]) => list(values, { type: 'conjunction', style: 'narrow' });
  const verdict = (isOk: boolean, text: string) => <VerdictBadge isOk={isOk}>{text}</VerdictBadge>;

  return (
    <dl className={own.facts}>
      <Fact name={t('limit')} value={t('limitOf', { limit, window: period(windowMs) })} />
      <Fact
        name={t('worst')}
        value={t('ratio', { ratio: number(worst.count / limit, { maximumFractionDigits: 2 }) })}
      >
        <LimitBadge count={worst.count} limit={limit} />
      </Fact>
      <Fact name={t('edge')} value={t('edgeOf', { count: edge.count, time: ms(edge.withinMs) })}>
        <LimitBadge count={edge.count} limit={limit} />
      </Fact>
      <Fact
        name={t('burst', { sent: burst.sent })}
        value={t('burstOf', { counts: narrow(burst.admitted.map(count)) })}
      >
        {verdict(!burst.isRace, t(burst.isRace ? 'race' : 'noRace'))}
      </Fact>
      <Fact name={t('refused')} value={t(countsRefusals ? 'charged' : 'free')}>
        {verdict(!countsRefusals, t(countsRefusals ? 'longer' : 'noLonger'))}
      </Fact>
      <Fact name="Retry-After" value={t(isRetryAfterTrue === null ? 'absent' : 'present')}>
        {isRetryAfterTrue !== null && verdict(isRetryAfterTrue, t(isRetryAfterTrue ? 'true' : 'false'))}
      </Fact>
      <Fact name={t('headers')} value={headers.length > 0 ? narrow(headers) : t('absent')}>
        {headers.length > 0 && verdict(areHeadersTrue, t(areHeadersTrue ? 'true' : 'false'))}
      </Fact>
      <Fact
        name={t('newWindow')}
        value={bypasses ? (bypasses.length > 0 ? narrow(bypasses) : t('nothing')) : t('untried')}
      >
        {bypasses && verdict(bypasses.length === 0, t(bypasses.length > 0 ? 'chosen' : 'notChosen'))}
      </Fact>
    </dl>
  );
}

function Fact({ name, value, children }: { name: string; value: string; children?: ReactNode }) {
  return (
    <div className={own.fact}>
      <dt className={layout.hint}>{name}</dt>
      <dd className={classNames(layout.strong, layout.figures)}>{value}</dd>
      {children && <dd>{children}</dd>}
    </div>
  );
}

/** All calls of the examination, and those around the fullest window. */
function Timeline({ examination }: { examination: Examination }) {
  const t = useTranslations('labExamine.timeline');
  const { count, tick } = useLabNumbers();
  const { admittedAt, refusedAt, worst, limit, windowMs } = examination;
  const spanMs = Math.max(...admittedAt, ...refusedAt, windowMs);
  const from = Math.max(0, worst.from - windowMs / 2);
  const nearMs = Math.min(spanMs, worst.from + 1.5 * windowMs) - from;
  const near = (times: readonly number[]) =>
    times.filter((at) => at >= from && at < from + nearMs).map((at) => at - from);
  const lanes = [
    { id: 'all', startMs: 0, lengthMs: spanMs, above: admittedAt, below: refusedAt },
    { id: 'near', startMs: from, lengthMs: nearMs, above: near(admittedAt), below: near(refusedAt) },
  ] as const;

  return (
    <ol className={layout.stack3}>
      {lanes.map(({ id, startMs, lengthMs, above, below }) => (
        <li key={id}>
          <div className={classNames(layout.words3, layout.apart, layout.small, styles.laneHead)}>
            <h3 className={styles.laneName}>{t(id)}</h3>
            <span className={layout.figures}>
              {t('tally', {
                ...{ admitted: count(above.length), refused: count(below.length) },
                ...{ from: tick(startMs), to: tick(startMs + lengthMs) },
              })}
            </span>
          </div>
          <LaneMarks spanMs={lengthMs} windowMs={windowMs} above={above} below={below}>
            <WorstBand
              endsAt={worst.from - startMs + windowMs}
              windowMs={windowMs}
              spanMs={lengthMs}
              isOver={worst.count > limit}
            />
          </LaneMarks>
        </li>
      ))}
    </ol>
  );
}
