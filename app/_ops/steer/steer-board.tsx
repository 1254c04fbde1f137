'use client';

import type { AuditPage, Policy } from '../types';
import { AuditLog } from './audit-log';
import { LimitsTable } from './limits-table';
import styles from './steer-board.module.css';

interface Props {
  listed: { policies: Policy[] };
  audit: AuditPage;
}

/** The limits in force and how to change them, and below it who has. */
export function SteerBoard({ listed, audit }: Props) {
  return (
    <div className={styles.board}>
      <LimitsTable listed={listed} />
      <AuditLog first={audit} />
    </div>
  );
}
