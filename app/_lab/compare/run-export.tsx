import { Download } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { Button } from '../../_components/ui/button';
import { Command } from '../../_components/ui/command';
import { formatCsv, formatJson } from '../run-file';
import { encodeScenario, type Scenario } from '../scenario';
import type { AlgorithmRun } from '../types';
import styles from './run-export.module.css';

interface Props {
  scenario: Scenario;
  runs: readonly AlgorithmRun[];
}

/** Downloads of a run, and the terminal command that reproduces it. */
export function RunExport({ scenario, runs }: Props) {
  const t = useTranslations('lab.export');
  return (
    <div className={styles.ways}>
      <div className={styles.files}>
        <Button
          onClick={() =>
            downloadFile(formatCsv(runs), { name: `${scenario.traffic}.csv`, type: 'text/csv;charset=utf-8' })
          }
        >
          <Download size={18} aria-hidden="true" />
          {t('csv')}
        </Button>
        <Button
          onClick={() =>
            downloadFile(formatJson(scenario, runs), {
              name: `${scenario.traffic}.json`,
              type: 'application/json',
            })
          }
        >
          <Download size={18} aria-hidden="true" />
          {t('json')}
        </Button>
      </div>
      <p className={styles.lead}>{t('terminal')}</p>
      <Command text={formatTerminalCommand(scenario)} copy={t('copy')} copied={t('copied')} />
    </div>
  );
}

function downloadFile(text: string, { name, type }: { name: string; type: string }): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `floodgate-${name}`;
  link.click();
  URL.revokeObjectURL(url);
}

/** Formats the POSIX shell command that runs the same scenario. */
function formatTerminalCommand(scenario: Scenario): string {
  return `npm run lab -- '${encodeScenario(scenario)}'`;
}
