'use client';

import { useQueryClient } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useTranslations } from 'next-intl';
import { createContext, lazy, type ReactNode, Suspense, use, useState } from 'react';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import { Dialog } from '../../_components/ui/dialog';
import layout from '../../_components/ui/layout.module.css';
import { Skeleton } from '../../_components/ui/status';
import { stopwatch } from '../../_live/clock';
import { useTRPC } from '../../_trpc/client';
import { useLevelName, usePolicyName } from '../levels';
import type { Level } from '../types';
import { type LimitName, useFormatLimit } from './limit-values';
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

/** The form loads when a button has the pointer or the focus. The frame of the dialog does not wait for it. */
const loadLimitDialog = () => import('./limit-dialog');
const LimitInDialog = lazy(loadLimitDialog);
const UndoLimit = dynamic(() => import('./undo-limit'), { loading: () => null });

/** `known`: the values that the opening row shows. Absent for a button without them. */
interface OpenedLimit extends LimitName {
  known?: Level | undefined;
}

const OpenLimitDialog = createContext<((limit: OpenedLimit) => void) | undefined>(undefined);

/**
 * Provides one dialog for every place that shows a limit. A change can be undone for a minute, also after a visit to
 * another section.
 */
export function LimitDialogProvider({ children }: { children: ReactNode }) {
  const t = useTranslations('opsLimits');
  const levelName = useLevelName();
  const policyName = usePolicyName();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [limit, setLimit] = useState<OpenedLimit>();
  const [isOpen, setIsOpen] = useState(false);
  const [applied, setApplied] = useState<AppliedChange>();

  function open(next: OpenedLimit): void {
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
        <Dialog
          title={t('dialog', { policy: policyName(limit.policy), level: levelName(limit.level) })}
          isOpen={isOpen}
          onClose={() => setIsOpen(false)}
          wide
        >
          <p>
            <code className={layout.soft}>{limit.policy}</code>
          </p>
          <Suspense fallback={<KnownLimit known={limit.known} />}>
            <LimitInDialog limit={limit} onClose={() => setIsOpen(false)} onApplied={showApplied} />
          </Suspense>
        </Dialog>
      )}
      <div className={classNames(layout.hiddenIfEmpty, styles.undo)} role="status">
        {applied && (
          <UndoLimit change={applied} onUndone={showApplied} onClose={() => setApplied(undefined)} />
        )}
      </div>
    </OpenLimitDialog>
  );
}

/** Shows the values of the row until the form has loaded. */
function KnownLimit({ known }: Pick<OpenedLimit, 'known'>) {
  const t = useTranslations('opsLimits');
  const formatLimit = useFormatLimit();
  return (
    <>
      {known && (
        <p>
          {t('now', { value: formatLimit(known.effective, known.algorithm) })} · {t(`modes.${known.mode}`)}
        </p>
      )}
      <Skeleton shape="panel" />
    </>
  );
}

interface ButtonProps extends OpenedLimit {
  /** Called when the dialog opens. A dialog that contains the button closes itself. */
  onOpen?(): void;
}

/** Opens the dialog that changes a limit. Place it wherever the limit is shown. Needs the namespace `ops`. */
export function ChangeLimitButton({ policy, level, known, onOpen }: ButtonProps) {
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
        open?.({ policy, level, known });
      }}
    >
      {t('open')}
    </Button>
  );
}
