import { Download } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import { downloadFile } from '../../_components/ui/download-file';
import layout from '../../_components/ui/layout.module.css';
import { Details } from '../details';
import { ResultSection } from '../experiment';
import { KeyList } from '../key-list';
import { useLabNumbers } from '../numbers';
import { formatCsv, formatJson } from '../runs';
import type { Scenario } from '../scenario';
import type { AlgorithmRun, LimiterResponse } from '../types';
import styles from './compare.module.css';
import { RunNumbers } from './run-numbers';

interface Props {
  scenario: Scenario;
  runs: readonly AlgorithmRun[];
  /** The selected time. */
  at: number;
}

/** Numbers, responses, keys and downloads of a run. */
export default function Results({ scenario, runs, at }: Props) {
  const t = useTranslations('lab');
  return (
    <div className={layout.stack5}>
      <ResultSection title={t('numbers.title')}>
        <RunNumbers runs={runs} scenario={scenario} at={at} />
      </ResultSection>
      <ResultSection title={t('response.title')}>
        <ResponseList runs={runs} />
      </ResultSection>
      <ResultSection title={t('keys.title')}>
        <p className={classNames(layout.hint, styles.lead)}>{t('keys.lead')}</p>
        <KeyList groups={runs.map(({ algorithm, keys }) => ({ name: t(`algorithm.${algorithm}`), keys }))} />
      </ResultSection>
      <ResultSection title={t('export.title')}>
        <RunExport scenario={scenario} runs={runs} />
      </ResultSection>
    </div>
  );
}

/** The HTTP responses of each algorithm. */
function ResponseList({ runs }: { runs: readonly AlgorithmRun[] }) {
  const t = useTranslations('lab');
  return (
    <div>
      {runs.map(({ algorithm, tells }) => (
        <Details key={algorithm} summary={t(`algorithm.${algorithm}`)}>
          <div className={styles.responses}>
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
    <div>
      <h3 className={classNames(styles.responseTitle, styles[kind])}>{t(kind, { at: time(response.at) })}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <pre className={styles.response} tabIndex={0}>
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
  const name = `floodgate-${scenario.traffic}`;
  return (
    <div className={layout.row2}>
      <Button
        onClick={() => downloadFile(formatCsv(runs), { name: `${name}.csv`, type: 'text/csv;charset=utf-8' })}
      >
        <Download size={18} aria-hidden="true" />
        {t('csv')}
      </Button>
      <Button
        onClick={() =>
          downloadFile(formatJson(scenario, runs), { name: `${name}.json`, type: 'application/json' })
        }
      >
        <Download size={18} aria-hidden="true" />
        {t('json')}
      </Button>
    </div>
  );
}
