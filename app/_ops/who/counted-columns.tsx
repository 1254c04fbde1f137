import type { Column } from '../../_components/ui/data-table';
import { levelName } from '../../_live/live-snapshot';
import { PolicyLevel } from '../policy-level';
import type { Counted } from './explain-dialog';
import { MaskedSubject } from './masked-subject';

/** Who is counted, and by which level: with these every table of subjects begins. */
export function countedColumns<Row extends Counted>(headers: {
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
      sortBy: levelName,
      cell: ({ policy, level }) => <PolicyLevel policy={policy} level={level} />,
    },
  ];
}
