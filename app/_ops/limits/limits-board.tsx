'use client';

import type { AuditPage, Policy } from '../types';
import { AuditLog } from './audit-log';
import styles from './limits-board.module.css';
import { LimitsTable } from './limits-table';

interface Props {
  listed: { policies: Policy[] };
  audit: AuditPage;
}

/** Shows the limits with their forms, and the audit log. */
export function LimitsBoard({ listed, audit }: Props) {
  return (
    <div className={styles.board}>
      <LimitsTable listed={listed} />
      <AuditLog first={audit} />
    </div>
  );
}
