import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useId, useState } from 'react';
import { ProblemNote } from '../_components/problem-note';
import { Button } from '../_components/ui/button';
import { ConfirmDialog } from '../_components/ui/dialog';
import layout from '../_components/ui/layout.module.css';
import { Notice } from '../_components/ui/status';
import { useTRPC } from '../_trpc/client';
import { useProblem } from './form-problems';
import { useLevelName, usePolicyName } from './levels';

interface Props {
  policy: string;
  level: string;
  /** The caller of the window; absent for a global level. `subject` is masked. */
  caller?: { ref: string; subject: string };
  /** The caller is blocked, whatever its window counts. Default: false. */
  isBlocked?: boolean;
  /** The page to return to after signing in. */
  here: string;
}

/** Clears a window on every node after a confirmation. */
export function ClearWindow({ policy, level, caller, isBlocked = false, here }: Props) {
  const t = useTranslations('ops.clearWindow');
  const levelName = useLevelName();
  const policyName = usePolicyName();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const hintId = useId();
  const [isOpen, setIsOpen] = useState(false);
  const clear = useMutation(
    trpc.limit.clear.mutationOptions({
      onSuccess: () => setIsOpen(false),
      onSettled: () =>
        Promise.all(
          [trpc.ops.explain, trpc.ops.audit].map((one) => queryClient.invalidateQueries(one.pathFilter())),
        ),
    }),
  );
  const problem = useProblem(clear.error);

  // The result is next to the button, so that a long dialog does not hide it.
  return (
    <div className={layout.row2}>
      <Button aria-describedby={hintId} onClick={() => setIsOpen(true)}>
        {t('open')}
      </Button>
      <span id={hintId} className={layout.hint}>
        {t(isBlocked ? 'hintBlocked' : 'hint')}
      </span>
      <div role="status">{clear.isSuccess && <Notice tone="good">{t('done')}</Notice>}</div>
      <ConfirmDialog
        title={t('title', { policy: policyName(policy), level: levelName(level) })}
        isOpen={isOpen}
        confirm={t('clear')}
        cancel={t('cancel')}
        isBusy={clear.isPending}
        onConfirm={() =>
          clear.mutate({ policy, level, ...(caller && { subject: caller.ref, mask: caller.subject }) })
        }
        onClose={() => setIsOpen(false)}
      >
        <p>{t(isBlocked ? 'textBlocked' : 'text')}</p>
        <div role="status" className={layout.hiddenIfEmpty}>
          {problem && <ProblemNote problem={problem} here={here} />}
        </div>
      </ConfirmDialog>
    </div>
  );
}
