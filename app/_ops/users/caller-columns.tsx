import type { Column } from '../../_components/ui/data-table';
import { levelKey } from '../../_live/live-snapshot';
import { PolicyLevel } from '../levels';
import type { Caller } from './explain-dialog';
import { MaskedSubject } from './masked-subject';

/** Returns the first columns of every table of callers: the caller and the level. */
export function callerColumns<Row extends Caller>(headers: {
  subject: string;
  level: string;
}): Column<Row>[] {
  return [
    {
      id: 'subject',
      header: headers.subject,
      sortBy: ({ subject }) => subject,
      cell: ({ subject }) => <MaskedSubject subject={subject} />,
    },
    {
      id: 'level',
      header: headers.level,
      sortBy: levelKey,
      cell: ({ policy, level }) => <PolicyLevel policy={policy} level={level} />,
    },
  ];
}
