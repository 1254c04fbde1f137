import type { Column } from '../../_components/ui/data-table';
import { levelKey } from '../../_live/level-key';
import { LevelLabel } from '../levels';
import { useOpsFeed } from '../live/ops-feed-provider';
import styles from './users.module.css';

/** A caller that a level counts. */
export interface Caller {
  policy: string;
  level: string;
  ref: string;
  /** Masked. */
  subject: string;
  /** The level whose refusals to explain. Default: the level of the newest one. */
  refusedBy?: string | undefined;
}

/** Shows a masked caller. The code face has the same ellipsis in every language. */
export function MaskedCaller({ subject }: { subject: string }) {
  return <code className={styles.subject}>{subject}</code>;
}

/** Returns the first columns of every table of callers: the caller and the level. */
export function callerColumns<Row extends Caller>(headers: {
  subject: string;
  /** In the CSV file. */
  policy: string;
  level: string;
}): Column<Row>[] {
  return [
    {
      id: 'subject',
      header: headers.subject,
      sortBy: ({ subject }) => subject,
      cell: ({ subject }) => <MaskedCaller subject={subject} />,
    },
    {
      id: 'level',
      header: headers.level,
      sortBy: levelKey,
      csv: [
        { header: headers.policy, read: ({ policy }) => policy },
        { header: headers.level, read: ({ level }) => level },
      ],
      cell: ({ policy, level }) => <LevelLabel policy={policy} level={level} />,
    },
  ];
}

/** Returns a text that changes with every refusal, ban or lifted ban; `undefined` before the first event. */
export function useRefusalSignal(): string | undefined {
  return useOpsFeed(
    ({ event }) =>
      event && [event.bans, ...event.rates.map(({ refused, banned }) => `${refused}/${banned}`)].join(),
  );
}
