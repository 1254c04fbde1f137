import { Download } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { Button } from '../../_components/ui/button';
import { Command } from '../../_components/ui/command';
import { csvOf, jsonOf } from '../run-file';
import type { Scenario } from '../scenario';
import { terminalCommand } from '../terminal-command';
import type { AlgorithmRun } from '../types';
import styles from './take-away.module.css';

interface Props {
  scenario: Scenario;
  runs: readonly AlgorithmRun[];
}

/** A run as a file, and the command that brings the same in a terminal. */
export function TakeAway({ scenario, runs }: Props) {
  const t = useTranslations('lab.takeAway');
  return (
    <div className={styles.ways}>
      <div className={styles.files}>
        <Button
          onClick={() =>
            save(csvOf(runs), { name: `${scenario.traffic}.csv`, type: 'text/csv;charset=utf-8' })
          }
        >
          <Download size={18} aria-hidden="true" />
          {t('csv')}
        </Button>
        <Button
          onClick={() =>
            save(jsonOf(scenario, runs), { name: `${scenario.traffic}.json`, type: 'application/json' })
          }
        >
          <Download size={18} aria-hidden="true" />
          {t('json')}
        </Button>
      </div>
      <p className={styles.lead}>{t('terminal')}</p>
      <Command text={terminalCommand(scenario)} copy={t('copy')} copied={t('copied')} />
    </div>
  );
}

function save(text: string, { name, type }: { name: string; type: string }): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `floodgate-${name}`;
  link.click();
  URL.revokeObjectURL(url);
}
