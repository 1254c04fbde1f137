import { useMutation } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { Button } from '../../_components/ui/button';
import layout from '../../_components/ui/layout.module.css';
import { Badge } from '../../_components/ui/status';
import { useTRPC } from '../../_trpc/client';
import { usePolicyName } from '../levels';
import type { OpsQueue } from '../live/ops-event';

interface Props {
  queue: OpsQueue;
  /** The element id of its description. */
  hintId?: string;
}

/** Closes a queue for new tickets, or opens it. */
export function QueueSwitch({ queue: { policy, level, isClosed }, hintId }: Props) {
  const t = useTranslations('opsNow.queues');
  const policyName = usePolicyName();
  const trpc = useTRPC();
  const close = useMutation(trpc.queue.close.mutationOptions());
  const open = useMutation(trpc.queue.open.mutationOptions());
  const { mutate, isPending, error } = isClosed ? open : close;
  return (
    <span className={layout.inline2}>
      {isClosed && <Badge tone="wait">{t('closed')}</Badge>}
      <Button
        aria-label={t(isClosed ? 'openLabel' : 'closeLabel', { policy: policyName(policy) })}
        aria-describedby={hintId}
        busy={isPending}
        onClick={() => mutate({ policy, level })}
      >
        {t(isClosed ? 'open' : 'close')}
      </Button>
      <span role="status" className={layout.failed}>
        {error && t('failed')}
      </span>
    </span>
  );
}
