import { useTranslations } from 'next-intl';
import { type ReactNode, useId } from 'react';
import { Panel } from '../../_components/ui/panel';
import { KeyList } from '../keys/key-list';
import { type Scenario, spanMsOf } from '../scenario';
import type { AlgorithmRun } from '../types';
import styles from './results.module.css';
import { RunTable } from './run-table';
import { TakeAway } from './take-away';
import { ToldList } from './told-list';
import { WindowChart } from './window-chart';

interface Props {
  scenario: Scenario;
  runs: readonly AlgorithmRun[];
  /** The instant that is looked at. */
  at: number;
}

/** What a run brought beside its drawing: numbers, answers, keys and files. */
export default function Results({ scenario, runs, at }: Props) {
  const t = useTranslations('lab');
  const { limit, windowMs } = scenario;
  return (
    <div className={styles.results}>
      <Part title={t('numbers.title')}>
        <RunTable runs={runs} limit={limit} />
        <WindowChart runs={runs} limit={limit} windowMs={windowMs} spanMs={spanMsOf(scenario)} at={at} />
      </Part>
      <Part title={t('told.title')}>
        <ToldList runs={runs} />
      </Part>
      <Part title={t('keys.title')}>
        <p className={styles.lead}>{t('keys.lead')}</p>
        <KeyList groups={runs.map(({ algorithm, keys }) => ({ name: t(`algorithm.${algorithm}`), keys }))} />
      </Part>
      <Part title={t('takeAway.title')}>
        <TakeAway scenario={scenario} runs={runs} />
      </Part>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Panel>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        {children}
      </Panel>
    </section>
  );
}
