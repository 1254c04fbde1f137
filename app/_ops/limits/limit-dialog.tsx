import { useQuery } from '@tanstack/react-query';
import { usePathname } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { ProblemNote } from '../../_components/problem-note';
import { Dialog } from '../../_components/ui/dialog';
import layout from '../../_components/ui/layout.module.css';
import { Skeleton } from '../../_components/ui/status';
import { useTRPC } from '../../_trpc/client';
import { problemOf } from '../../_trpc/problem';
import { ClearWindow } from '../clear-window';
import { useLevelName, usePolicyName } from '../levels';
import type { AppliedChange, LimitName } from './limit-dialog-provider';
import { LimitForm } from './limit-form';

interface Props {
  /** It stays while the dialog closes. */
  limit: LimitName;
  isOpen: boolean;
  onClose(): void;
  onApplied(change: AppliedChange): void;
}

/** Changes a limit, with a preview of the change. */
export default function LimitDialog({ limit: { policy, level }, isOpen, onClose, onApplied }: Props) {
  const t = useTranslations('opsLimits');
  const levelName = useLevelName();
  const policyName = usePolicyName();
  const here = usePathname();
  const trpc = useTRPC();
  const { data, error } = useQuery({ ...trpc.limit.list.queryOptions(), enabled: isOpen });
  const current = data?.policies
    .find((one) => one.policy === policy)
    ?.levels.find((one) => one.level === level);
  return (
    <Dialog
      title={t('dialog', { policy: policyName(policy), level: levelName(level) })}
      isOpen={isOpen}
      onClose={onClose}
      wide
    >
      <p>
        <code className={layout.soft}>{policy}</code>
      </p>
      {current && (
        <LimitForm policy={policy} level={current} here={here} onApplied={onApplied} onCancel={onClose} />
      )}
      {!current && !error && <Skeleton shape="panel" />}
      {!current && error && <ProblemNote problem={problemOf(error)} here={here} />}
      {level === 'global' && <ClearWindow policy={policy} level={level} here={here} />}
    </Dialog>
  );
}
