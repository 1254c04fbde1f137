import { useTranslations } from 'next-intl';
import { classNames } from '../../_components/ui/class-names';
import { Details } from '../details';
import type { AlgorithmRun, LimiterResponse } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import styles from './response-list.module.css';

/** The HTTP responses of each algorithm. */
export function ResponseList({ runs }: { runs: readonly AlgorithmRun[] }) {
  const t = useTranslations('lab');
  return (
    <div className={styles.list}>
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
  if (!response) return <p className={styles.none}>{t(`none.${kind}`)}</p>;
  return (
    <div className={styles.answer}>
      <h3 className={classNames(styles.title, styles[kind])}>{t(kind, { at: time(response.at) })}</h3>
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
