import { useTranslations } from 'next-intl';
import { type ReactNode, useId } from 'react';
import { Panel } from '../../_components/ui/panel';
import { KeyList } from '../key-list';
import { getSpanMs, type Scenario } from '../scenario';
import type { AlgorithmRun } from '../types';
import { ResponseList } from './response-list';
import styles from './results.module.css';
import { RunExport } from './run-export';
import { RunTable } from './run-table';
import { WindowChart } from './window-chart';

interface Props {
  scenario: Scenario;
  runs: readonly AlgorithmRun[];
  /** The selected time. */
  at: number;
}

/** Numbers, responses, keys and downloads of a run. */
export default function Results({ scenario, runs, at }: Props) {
  const t = useTranslations('lab');
  const { limit, windowMs } = scenario;
  return (
    <div className={styles.results}>
      <ResultSection title={t('numbers.title')}>
        <RunTable runs={runs} limit={limit} />
        <WindowChart runs={runs} limit={limit} windowMs={windowMs} spanMs={getSpanMs(scenario)} at={at} />
      </ResultSection>
      <ResultSection title={t('response.title')}>
        <ResponseList runs={runs} />
      </ResultSection>
      <ResultSection title={t('keys.title')}>
        <p className={styles.lead}>{t('keys.lead')}</p>
        <KeyList groups={runs.map(({ algorithm, keys }) => ({ name: t(`algorithm.${algorithm}`), keys }))} />
      </ResultSection>
      <ResultSection title={t('export.title')}>
        <RunExport scenario={scenario} runs={runs} />
      </ResultSection>
    </div>
  );
}

function ResultSection({ title, children }: { title: string; children: ReactNode }) {
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
