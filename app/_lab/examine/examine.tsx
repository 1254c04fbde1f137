import { ScanSearch } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { classNames } from '../../_components/ui/class-names';
import controls from '../../_components/ui/controls.module.css';
import { SelectField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { newRequestId } from '../../_shell/request-id';
import { useTRPCClient } from '../../_trpc/client';
import {
  FormAndResults,
  Result,
  StartButton,
  useExperiment,
  useFirstRun,
  useRunProgress,
  useUrlChoice,
} from '../experiment';
import styles from '../lab.module.css';
import type { Examination, ExaminedLimiter } from '../types';
import { ExaminationReport } from './examination-report';

/** In the order of the list. */
const limiters = [
  'counter-by-clock',
  'counter-from-first-hit',
  'four-commands',
  'add-first',
  'bucket-script',
  'forwarded-for',
  'sliding-log',
  'sliding-counter',
  'fixed-window',
  'token-bucket',
  'leaky-bucket',
] as const satisfies readonly ExaminedLimiter[];

const COMMAND = 'npx floodgate-limiter examine http://127.0.0.1:3000/api';

interface Props {
  /** The stored result of the first limiter. */
  example: Examination | null;
}

/** Examines one of the lab's limiters from the outside. The URL names it. */
export default function Examine({ example }: Props) {
  const t = useTranslations('labExamine');
  const client = useTRPCClient();
  const [chosen, choose] = useUrlChoice('limiter');
  const limiter = limiters.find((one) => one === chosen) ?? limiters[0];
  const [runId, setRunId] = useState('');
  const experiment = useExperiment(limiter, (limiter, signal) => {
    const runId = newRequestId();
    setRunId(runId);
    return client.lab.examine.mutate({ limiter, runId }, { signal });
  });
  const progress = useRunProgress(experiment.busy ? runId : '');
  const examined = experiment.dataInput ?? limiters[0];
  const examination = experiment.data ?? example;
  const isEarlier = examination !== null && (experiment.wasCancelled || examined !== limiter);
  // The link of another limiter examines it at once.
  useFirstRun(experiment, limiter === limiters[0] && example !== null);

  return (
    <FormAndResults
      form={
        <>
          <SelectField
            label={t('limiter')}
            value={limiter}
            options={limiters.map((id) => ({ value: id, label: t(`limiters.${id}`) }))}
            onChange={choose}
          />
          <StartButton
            experiment={{ ...experiment, isEarlier }}
            variant="primary"
            icon={ScanSearch}
            label={t('start')}
            progress={progress}
            idle={t('idle', { calls: 1_000 })}
          />
          <div className={layout.stack2}>
            <p className={layout.hint}>{t('own')}</p>
            <pre className={controls.command}>
              <code>{COMMAND}</code>
            </pre>
          </div>
        </>
      }
    >
      <Result isEarlier={isEarlier}>
        {examination ? (
          <ExaminationReport title={t(`limiters.${examined}`)} examination={examination} />
        ) : (
          <div className={classNames(styles.placeholder, layout.card)} />
        )}
      </Result>
    </FormAndResults>
  );
}
