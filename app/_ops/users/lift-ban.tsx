import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { Button } from '../../_components/ui/button';
import { useTRPC } from '../../_trpc/client';
import { type Problem, problemOf } from '../../_trpc/problem';
import type { Ban } from '../types';
import styles from './lift-ban.module.css';

interface Props {
  ban: Ban;
  isLifted: boolean;
  onLifted(ban: Ban): void;
}

/** Lifts a ban with one click. */
export function LiftBan({ ban, isLifted, onLifted }: Props) {
  const t = useTranslations('opsUsers.bans');
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation(
    trpc.ban.lift.mutationOptions({
      onSuccess: () => onLifted(ban),
      onSettled: () => queryClient.invalidateQueries(trpc.ban.list.queryFilter()),
    }),
  );
  return (
    <>
      <Button
        aria-label={t(isLifted ? 'liftedLabel' : 'liftLabel', { subject: ban.subject, policy: ban.policy })}
        closed={isLifted}
        busy={isPending}
        onClick={() => mutate({ banId: ban.banId })}
      >
        {t(isLifted ? 'lifted' : 'lift')}
      </Button>
      <span role="status" className={styles.outcome}>
        {error && t(`failed.${reasonOf(problemOf(error))}`)}
      </span>
    </>
  );
}

function reasonOf({ kind }: Problem): 'missing' | 'unavailable' | 'other' {
  return kind === 'missing' || kind === 'unavailable' ? kind : 'other';
}
