import { useTranslations } from 'next-intl';
import { useId } from 'react';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { Badge } from '../../_components/ui/status';
import { levelKey } from '../../_live/level-key';
import { noMarks } from '../../_live/refusal-marks';
import { SlidingMeter } from '../../_window/sliding-meter';
import { formatPercent } from '../formats';
import { isOverridden, LevelMode, PolicyLabel, useLevelName, useLevelWindow } from '../levels';
import { useOpsFeed, useOpsStatus } from '../live/ops-feed-provider';
import type { Level, Policy } from '../types';
import styles from './now.module.css';
import { OutcomeChart } from './outcome-chart';
import { QueueSwitch } from './queues-table';

interface Props {
  policy: Policy;
  /** The level at rendering; the feed has newer values. */
  level: Level;
  /** The share of the decision time that the policy takes. */
  timeShare?: number | undefined;
}

/** Shows a level of a policy: its window, and its decisions per second. */
export function PolicyPanel({ policy: { policy, levels }, level, timeShare }: Props) {
  const t = useTranslations('opsNow');
  const id = useId();
  const levelId = useId();
  const onStoreError = levels[0]?.onStoreError;
  return (
    <section
      className={classNames(layout.stack4, layout.card, styles.panel)}
      aria-labelledby={`${id} ${levelId}`}
    >
      <div className={classNames(layout.words3, layout.apart)}>
        <h2 id={id} className={classNames(layout.title, styles.panelName)}>
          <PolicyLabel policy={policy} />
        </h2>
        <p className={layout.hint}>
          {(onStoreError === 'closed' || onStoreError === 'open' || onStoreError === 'local') &&
            t(`onStoreError.${onStoreError}`)}
          {timeShare !== undefined && ` · ${t('levels.timeShare', { share: formatPercent(timeShare) })}`}
        </p>
      </div>
      <LevelPanel id={levelId} policy={policy} of={level} />
    </section>
  );
}

/** Shows the window and the chart of a level. `id` is the element id of its heading. */
function LevelPanel({ id, policy, of }: { id: string; policy: string; of: Level }) {
  const { level } = of;
  const hintId = useId();
  const t = useTranslations('opsNow');
  const levelName = useLevelName();
  const window = useLevelWindow(policy, of);
  const isShared = level === 'global';
  const refused = useOpsFeed((snapshot) =>
    isShared ? (snapshot.refused[levelKey({ policy, level })] ?? noMarks) : noMarks,
  );
  const queue = useOpsFeed(({ event }) =>
    event?.queues.find((one) => one.policy === policy && one.level === level),
  );
  const isStale = useOpsStatus() === 'stale';

  function whose(): string {
    if (of.countsAll) return t('everyone');
    return window?.subject ? t('top', { subject: window.subject.subject }) : t('noCallers');
  }

  return (
    <div className={styles.panelLevel}>
      <div>
        <div className={classNames(layout.line2, styles.levelHead)}>
          <h3 id={id} className={styles.levelName}>
            {levelName(level)}
          </h3>
          {isOverridden(of, window) && <Badge tone="accent">{t('changed')}</Badge>}
          <LevelMode policy={policy} level={of} />
        </div>
        <SlidingMeter
          whose={whose()}
          window={window}
          refused={refused}
          hasRefusedPeriod
          isStale={isStale}
          of={isShared ? 'everyone' : 'other'}
          unknown={t('waiting')}
        />
        {queue && (
          <>
            <div className={layout.row3}>
              {t('queues.ofLevel', { count: queue.waiting })}
              <QueueSwitch queue={queue} hintId={hintId} />
            </div>
            <p id={hintId} className={layout.hint}>
              {t(`queues.${queue.isClosed ? 'openHint' : 'closeHint'}`)}
            </p>
          </>
        )}
      </div>
      <OutcomeChart policy={policy} level={level} />
    </div>
  );
}
