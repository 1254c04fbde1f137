'use client';

import dynamic from 'next/dynamic';
import { createContext, type ReactNode, use, useCallback, useState } from 'react';
import type { Level } from '../types';
import styles from './limit-dialog-provider.module.css';

/** A level of a policy. */
export interface LimitName {
  policy: string;
  level: string;
}

/** A limit before and after a change by this operator. */
export interface AppliedChange {
  policy: string;
  before: Level;
  after: Level;
  /** `performance.now()` at which it took effect. */
  appliedAt: number;
}

/** Loads the dialog. Call it early, because the click waits for it. */
export const loadLimitDialog = () => import('./limit-dialog');
const LimitDialog = dynamic(loadLimitDialog, { loading: () => null });
const UndoLimit = dynamic(() => import('./undo-limit'), { loading: () => null });

const OpenLimitDialog = createContext<((limit: LimitName) => void) | undefined>(undefined);

/** Returns the function that opens the dialog for a limit. */
export function useOpenLimitDialog(): (limit: LimitName) => void {
  const open = use(OpenLimitDialog);
  if (!open) throw new Error('useOpenLimitDialog needs the LimitDialogProvider of the ops layout.');
  return open;
}

/**
 * Provides one dialog for every place that shows a limit. A change can be undone for a minute, also after a visit to
 * another section.
 */
export function LimitDialogProvider({ children }: { children: ReactNode }) {
  const [limit, setLimit] = useState<LimitName>();
  const [isOpen, setIsOpen] = useState(false);
  const [applied, setApplied] = useState<AppliedChange>();
  const open = useCallback((next: LimitName) => {
    setLimit(next);
    setIsOpen(true);
  }, []);

  return (
    <OpenLimitDialog value={open}>
      {children}
      {limit && (
        <LimitDialog
          limit={limit}
          isOpen={isOpen}
          onClose={() => setIsOpen(false)}
          onApplied={(change) => {
            setIsOpen(false);
            setApplied(change);
          }}
        />
      )}
      <div className={styles.undo} role="status">
        {applied && (
          <UndoLimit key={applied.appliedAt} change={applied} onClose={() => setApplied(undefined)} />
        )}
      </div>
    </OpenLimitDialog>
  );
}
