'use client';

import { useQueryClient } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useTranslations } from 'next-intl';
import { createContext, type ReactNode, use, useState } from 'react';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { stopwatch } from '../../_live/clock';
import { useTRPC } from '../../_trpc/client';
import { useLevelName, usePolicyName } from '../levels';
import type { Level } from '../types';
import type { LimitName } from './limit-values';
import styles from './limits.module.css';

/** A limit before and after a change by this operator. */
export interface AppliedChange {
  policy: string;
  before: Level;
  after: Level;
  /** `performance.now()` at which it took effect. */
  appliedAt: number;
  /** True if it restores the limit before another change. */
  isUndo?: boolean;
}

/** The click waits for the dialog, so it loads when a button has the pointer or the focus. */
const loadLimitDialog = () => import('./limit-dialog');
const LimitDialog = dynamic(loadLimitDialog, { loading: () => null });
const UndoLimit = dynamic(() => import('./undo-limit'), { loading: () => null });

const OpenLimitDialog = createContext<((limit: LimitName) => void) | undefined>(undefined);

/**
 * Provides one dialog for every place that shows a limit. A change can be undone for a minute, also after a visit to
 * another section.
 */
export function LimitDialogProvider({ children }: { children: ReactNode }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [limit, setLimit] = useState<LimitName>();
  const [isOpen, setIsOpen] = useState(false);
  const [applied, setApplied] = useState<AppliedChange>();

  function open(next: LimitName): void {
    setLimit(next);
    setIsOpen(true);
  }

  function showApplied(change: Omit<AppliedChange, 'appliedAt'>): void {
    setIsOpen(false);
    setApplied({ ...change, appliedAt: stopwatch.now() });
    void queryClient.invalidateQueries(trpc.limit.list.queryFilter());
    void queryClient.invalidateQueries(trpc.ops.audit.pathFilter());
  }

  return (
    <OpenLimitDialog value={open}>
      {children}
      {limit && (
        <LimitDialog limit={limit} isOpen={isOpen} onClose={() => setIsOpen(false)} onApplied={showApplied} />
      )}
      <div className={classNames(layout.hiddenIfEmpty, styles.undo)} role="status">
        {applied && (
          <UndoLimit change={applied} onUndone={showApplied} onClose={() => setApplied(undefined)} />
        )}
      </div>
    </OpenLimitDialog>
  );
}

interface ButtonProps extends LimitName {
  /** Called when the dialog opens. A dialog that contains the button closes itself. */
  onOpen?(): void;
}

/** Opens the dialog that changes a limit. Place it wherever the limit is shown. Needs the namespace `ops`. */
export function ChangeLimitButton({ policy, level, onOpen }: ButtonProps) {
  const t = useTranslations('ops.changeLimit');
  const levelName = useLevelName();
  const policyName = usePolicyName();
  const open = use(OpenLimitDialog);
  return (
    <Button
      aria-label={t('label', { policy: policyName(policy), level: levelName(level) })}
      aria-haspopup="dialog"
      onPointerEnter={() => void loadLimitDialog()}
      onFocus={() => void loadLimitDialog()}
      onClick={() => {
        onOpen?.();
        open?.({ policy, level });
      }}
    >
      {t('open')}
    </Button>
  );
}
