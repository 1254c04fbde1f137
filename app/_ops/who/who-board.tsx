'use client';

import { useState } from 'react';
import type { Ban, RefusedSubject } from '../types';
import { BansTable } from './bans-table';
import { type Counted, ExplainDialog } from './explain-dialog';
import { RefusedTable } from './refused-table';

interface Props {
  refused: { subjects: RefusedSubject[] };
  banned: { bans: Ban[] };
}

/** Who is kept out, and for each of them why. */
export function WhoBoard({ refused, banned }: Props) {
  const [explained, setExplained] = useState<Counted>();
  const [isOpen, setIsOpen] = useState(false);

  function explain(counted: Counted): void {
    setExplained(counted);
    setIsOpen(true);
  }

  return (
    <>
      <BansTable first={banned} onExplain={explain} />
      <RefusedTable first={refused} onExplain={explain} />
      <ExplainDialog counted={explained} isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </>
  );
}
