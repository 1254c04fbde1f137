import { Download } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useId } from 'react';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import { downloadFile } from '../../_components/ui/download-file';
import layout from '../../_components/ui/layout.module.css';
import { Panel } from '../../_components/ui/page-parts';
import { Details } from '../details';
import { KeyList } from '../key-list';
import { formatCsv, formatJson } from '../run-file';
import { getSpanMs, type Scenario } from '../scenario';
import type { AlgorithmRun, LimiterResponse } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import styles from './results.module.css';
import { RunNumbers } from './run-numbers';
import { SubWindowsNote } from './sub-windows-note';

interface Props {
  scenario: Scenario;
  runs: readonly AlgorithmRun[];
  /** The selected time. */
  at: number;
}

/** Numbers, responses, keys and downloads of a run. */
export default function Results({ scenario, runs, at }: Props) {
  const t = useTranslations('lab');
  const { limit, windowMs, subWindows } = scenario;
  return (
    <div className={layout.stack5}>
      <ResultSection title={t('numbers.title')}>
        <RunNumbers runs={runs} limit={limit} windowMs={windowMs} spanMs={getSpanMs(scenario)} at={at} />
        <SubWindowsNote runs={runs} windowMs={windowMs} subWindows={subWindows} />
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
        <h2 id={id} className={layout.title}>
          {title}
        </h2>
        {children}
      </Panel>
    </section>
  );
}

/** The HTTP responses of each algorithm. */
function ResponseList({ runs }: { runs: readonly AlgorithmRun[] }) {
  const t = useTranslations('lab');
  return (
    <div>
      {runs.map(({ algorithm, tells }) => (
        <Details key={algorithm} summary={t(`algorithm.${algorithm}`)}>
          <div className={styles.pair}>
            <Response kind="refused" response={tells.refused} />
            <Response kind="admitted" response={tells.admitted} />
          </div>
        </Details>
      ))}
    </div>
  );
}

function Response({ kind, response }: { kind: 'refused' | 'admitted'; response: LimiterResponse | null }) {
  const t = useTranslations('lab.response');
  const { time } = useLabNumbers();
  if (!response) return <p className={layout.hint}>{t(`none.${kind}`)}</p>;
  return (
    <div className={styles.response}>
      <h3 className={classNames(styles.responseTitle, styles[kind])}>{t(kind, { at: time(response.at) })}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <pre className={styles.text} tabIndex={0}>
        {formatResponse(kind, response)}
      </pre>
    </div>
  );
}

function formatResponse(kind: 'refused' | 'admitted', { headers, data }: LimiterResponse): string {
  const status = kind === 'refused' ? 'HTTP/1.1 429 Too Many Requests' : 'HTTP/1.1 200 OK';
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const body = data ? ['', 'error.data.rateLimit =', JSON.stringify(data, null, 2)] : [];
  return [status, ...fields, ...body].join('\n');
}

/** Downloads of a run. */
function RunExport({ scenario, runs }: Omit<Props, 'at'>) {
  const t = useTranslations('lab.export');
  return (
    <div className={layout.row2}>
      <Button
        onClick={() =>
          downloadFile(formatCsv(runs), {
            name: `floodgate-${scenario.traffic}.csv`,
            type: 'text/csv;charset=utf-8',
          })
        }
      >
        <Download size={18} aria-hidden="true" />
        {t('csv')}
      </Button>
      <Button
        onClick={() =>
          downloadFile(formatJson(scenario, runs), {
            name: `floodgate-${scenario.traffic}.json`,
            type: 'application/json',
          })
        }
      >
        <Download size={18} aria-hidden="true" />
        {t('json')}
      </Button>
    </div>
  );
}
