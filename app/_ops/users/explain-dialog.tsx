import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { Dialog } from '../../_components/ui/dialog';
import { Skeleton } from '../../_components/ui/skeleton';
import { useTRPC } from '../../_trpc/client';
import { problemOf } from '../../_trpc/problem';
import { ClearWindow } from '../clear-window';
import { PolicyLevel } from '../levels';
import { useRefetchOnChange } from '../use-refetch-on-change';
import styles from './explain-dialog.module.css';
import { ExplainedRefusal } from './explained-refusal';
import { useRefusalSignal } from './use-refusal-signal';

/** A caller that a level counts. */
export interface Caller {
  policy: string;
  level: string;
  ref: string;
  /** Masked. */
  subject: string;
}

interface Props {
  /** The caller to explain. It stays while the dialog closes. */
  caller: Caller | undefined;
  isOpen: boolean;
  onClose(): void;
}

/** Explains why a caller is refused: the level, the hits in its window, and the next free slot. */
export function ExplainDialog({ caller, isOpen, onClose }: Props) {
  const t = useTranslations('opsUsers.explain');
  return (
    <Dialog title={t('title', { subject: caller?.subject ?? '' })} isOpen={isOpen} onClose={onClose}>
      {caller && <Explained caller={caller} />}
      <div>
        <Button onClick={onClose}>{t('close')}</Button>
      </div>
    </Dialog>
  );
}

function Explained({ caller: { policy, level, ref, subject } }: { caller: Caller }) {
  const trpc = useTRPC();
  const { data, error } = useQuery(trpc.ops.explain.queryOptions({ policy, level, ref }));
  useRefetchOnChange({ signal: useRefusalSignal(), queries: [trpc.ops.explain.pathFilter()], settleMs: 500 });
  return (
    <div className={styles.explained}>
      <PolicyLevel policy={policy} level={level} />
      {error && <ProblemNote problem={problemOf(error)} here="/ops/who" />}
      {!error && !data && (
        <div className={styles.reserved}>
          <Skeleton shape="panel" />
        </div>
      )}
      {!error && data && <ExplainedRefusal subject={subject} explanation={data} />}
      <ClearWindow policy={policy} level={level} subject={ref} here="/ops/who" />
    </div>
  );
}
