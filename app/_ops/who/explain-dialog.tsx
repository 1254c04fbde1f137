import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { Dialog } from '../../_components/ui/dialog';
import { Skeleton } from '../../_components/ui/skeleton';
import { useTRPC } from '../../_trpc/client';
import { problemOf } from '../../_trpc/problem';
import { ClearWindow } from '../clear-window';
import { PolicyLevel } from '../policy-level';
import { useRefetchOn } from '../use-refetch-on';
import styles from './explain-dialog.module.css';
import { ExplainedRefusal } from './explained-refusal';
import { useRefusals } from './use-refusals';

/** Somebody whom a level counts. */
export interface Counted {
  policy: string;
  level: string;
  ref: string;
  /** Masked. */
  subject: string;
}

interface Props {
  /** Whose refusals are to be explained; the last one stays while the dialog closes. */
  counted: Counted | undefined;
  isOpen: boolean;
  onClose(): void;
}

/** Why somebody is refused: the level, the hits in its window, and when the next slot frees. */
export function ExplainDialog({ counted, isOpen, onClose }: Props) {
  const t = useTranslations('opsWho.explain');
  return (
    <Dialog title={t('title', { subject: counted?.subject ?? '' })} isOpen={isOpen} onClose={onClose}>
      {counted && <Explained counted={counted} />}
      <div>
        <Button onClick={onClose}>{t('close')}</Button>
      </div>
    </Dialog>
  );
}

function Explained({ counted: { policy, level, ref, subject } }: { counted: Counted }) {
  const trpc = useTRPC();
  const { data, error } = useQuery(trpc.ops.explain.queryOptions({ policy, level, ref }));
  useRefetchOn({ signal: useRefusals(), queries: [trpc.ops.explain.pathFilter()], settlesInMs: 500 });
  return (
    <div className={styles.explained}>
      <PolicyLevel policy={policy} level={level} />
      {error && <ProblemNote problem={problemOf(error)} here="/ops/who" />}
      {!error && !data && (
        <div className={styles.place}>
          <Skeleton shape="panel" />
        </div>
      )}
      {!error && data && <ExplainedRefusal subject={subject} explanation={data} />}
      <ClearWindow policy={policy} level={level} subject={ref} here="/ops/who" />
    </div>
  );
}
