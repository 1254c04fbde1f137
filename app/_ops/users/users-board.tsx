'use client';

import { useState } from 'react';
import type { Ban, RefusedSubject } from '../types';
import { BansTable } from './bans-table';
import { type Caller, ExplainDialog } from './explain-dialog';
import { RefusedTable } from './refused-table';

interface Props {
  refused: { subjects: RefusedSubject[] };
  banned: { bans: Ban[] };
}

/** Shows banned and refused callers with explanations. */
export function UsersBoard({ refused, banned }: Props) {
  const [explained, setExplained] = useState<Caller>();
  const [isOpen, setIsOpen] = useState(false);

  function explain(counted: Caller): void {
    setExplained(counted);
    setIsOpen(true);
  }

  return (
    <>
      <BansTable first={banned} onExplain={explain} />
      <RefusedTable first={refused} onExplain={explain} />
      <ExplainDialog caller={explained} isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </>
  );
}
