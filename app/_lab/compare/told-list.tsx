import { useTranslations } from 'next-intl';
import { classNames } from '../../_components/ui/class-names';
import { Details } from '../details';
import type { AlgorithmRun, Told } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import styles from './told-list.module.css';

/** What each algorithm tells its callers, as HTTP carries it. */
export function ToldList({ runs }: { runs: readonly AlgorithmRun[] }) {
  const t = useTranslations('lab');
  return (
    <div className={styles.list}>
      {runs.map(({ algorithm, tells }) => (
        <Details key={algorithm} summary={t(`algorithm.${algorithm}`)}>
          <div className={styles.pair}>
            <Answer kind="refused" told={tells.refused} />
            <Answer kind="admitted" told={tells.admitted} />
          </div>
        </Details>
      ))}
    </div>
  );
}

function Answer({ kind, told }: { kind: 'refused' | 'admitted'; told: Told | null }) {
  const t = useTranslations('lab.told');
  const { time } = useLabNumbers();
  if (!told) return <p className={styles.none}>{t(`none.${kind}`)}</p>;
  return (
    <div className={styles.answer}>
      <h3 className={classNames(styles.title, styles[kind])}>{t(kind, { at: time(told.at) })}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className={styles.text} tabIndex={0}>
        {answerText(kind, told)}
      </pre>
    </div>
  );
}

function answerText(kind: 'refused' | 'admitted', { headers, data }: Told): string {
  const status = kind === 'refused' ? 'HTTP/1.1 429 Too Many Requests' : 'HTTP/1.1 200 OK';
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const body = data ? ['', 'error.data.rateLimit =', JSON.stringify(data, null, 2)] : [];
  return [status, ...fields, ...body].join('\n');
}
