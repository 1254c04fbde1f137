import Link from 'next/link';
import { useLocale, useTranslations } from 'next-intl';
import layout from '../../_components/ui/layout.module.css';
import { Badge } from '../../_components/ui/status';
import { sentenceGap } from '../../_i18n/language';
import { ResultSection } from '../experiment';
import { useLabNumbers } from '../numbers';
import { findPreset, hasPresetNumbers } from '../presets';
import { measureClaim } from '../runs';
import type { Scenario } from '../scenario';
import type { DrawnRun } from '../types';
import styles from './compare.module.css';

interface Props {
  scenario: Extract<Scenario, { traffic: 'preset' }>;
  /** `undefined` before the first run. */
  runs: readonly DrawnRun[] | undefined;
}

const tones = { agrees: 'good', differs: 'fail', contradiction: 'wait' } as const;

/** Compares the claim about a preset with the run. Empty if the limit or the window was changed. */
export function PresetClaim({ scenario, runs }: Props) {
  const { preset: name, windowMs } = scenario;
  const t = useTranslations('lab');
  const { ms } = useLabNumbers();
  const gap = sentenceGap(useLocale());
  if (!hasPresetNumbers(scenario)) return null;
  const { claim, more, arrivals } = findPreset(name);
  const measured = runs && measureClaim(claim, { runs, windowMs });
  const calls = arrivals.length;
  const took = runs?.find(({ algorithm }) => algorithm === claim.algorithm)?.tookMs;
  return (
    <ResultSection title={t('claim.title')}>
      <dl className={styles.claim}>
        <div>
          <dt className={layout.hint}>{t('claim.says')}</dt>
          <dd>{t(`preset.${name}.says`)}</dd>
        </div>
        <div>
          <dt className={layout.hint}>{t('claim.measured')}</dt>
          <dd>
            <span role="status">
              {measured
                ? t(`claim.measures.${claim.measure}`, {
                    algorithm: t(`algorithm.${claim.algorithm}`),
                    count: measured.count,
                    wait: ms(measured.count),
                    calls,
                  })
                : t('claim.notRun')}{' '}
              {measured && (
                <Badge tone={tones[measured.verdict]}>{t(`claim.verdict.${measured.verdict}`)}</Badge>
              )}
            </span>
            {took && <p className={layout.hint}>{t('claim.took', took)}</p>}
          </dd>
        </div>
      </dl>
      <p className={layout.hint}>
        {t(`preset.${name}.note`)}
        {gap}
        {more && (
          <Link prefetch={false} href={more}>
            {t('claim.more')}
          </Link>
        )}
      </p>
    </ResultSection>
  );
}
