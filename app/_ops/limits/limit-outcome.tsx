import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocale, useTranslations } from 'next-intl';
import { Button } from '../../_components/ui/button';
import { Notice } from '../../_components/ui/status';
import { sentenceGap } from '../../_i18n/language';
import { useTRPC } from '../../_trpc/client';
import { problemOf } from '../../_trpc/problem';
import type { Level } from '../types';
import type { AppliedChange } from './limit-dialog-provider';
import { diffLimit, findLevel, useFormatLimit } from './limit-values';

interface ChangeOptions {
  policy: string;
  level: Level;
  onApplied(change: Pick<AppliedChange, 'policy' | 'before' | 'after'>): void;
}

/** Returns the mutations of a level. If one gets no answer, the level is read again, which may show that it took effect. */
export function useChangeLimit({ policy, level, onApplied }: ChangeOptions) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const onSuccess = (reply: { level: Level }) => onApplied({ policy, before: level, after: reply.level });

  async function readAgain(error: unknown, wanted: Partial<Level['effective'] & Pick<Level, 'mode'>>) {
    if (!isUnconfirmed(error)) return;
    const listed = await queryClient
      .fetchQuery({ ...trpc.limit.list.queryOptions(), staleTime: 0, retry: false })
      .catch(() => undefined);
    const after = findLevel(listed?.policies, { policy, level: level.level });
    if (!after || after.version === level.version) return;
    if (!diffLimit({ ...after.effective, mode: after.mode, ...wanted }, after))
      onApplied({ policy, before: level, after });
  }

  const update = useMutation(
    trpc.limit.update.mutationOptions({
      onSuccess,
      onError: (error, { limit, windowMs, mode }) =>
        void readAgain(error, {
          ...(limit !== undefined && { limit }),
          ...(windowMs !== undefined && { windowMs }),
          ...(mode !== undefined && { mode }),
        }),
    }),
  );
  const reset = useMutation(
    trpc.limit.reset.mutationOptions({
      onSuccess,
      onError: (error) => void readAgain(error, { ...level.declared, mode: 'enforce' }),
    }),
  );
  return { update, reset };
}

/** Returns true for an error after which a change may or may not be in effect, or a preview has no numbers. */
export function isUnconfirmed(error: unknown): boolean {
  if (!error) return false;
  const { kind } = problemOf(error);
  return kind === 'lost' || kind === 'unavailable' || kind === 'broken';
}

interface Props {
  /** The level as last read. */
  level: Level;
  onRetry(): void;
}

/** Says that a change is not confirmed, which limit was read since, and offers to send the change again. */
export function UnconfirmedChange({ level, onRetry }: Props) {
  const t = useTranslations('opsLimits.unconfirmed');
  const tMode = useTranslations('opsLimits.modes');
  const gap = sentenceGap(useLocale());
  const formatLimit = useFormatLimit();
  const { isFetching, isError } = useQuery(useTRPC().limit.list.queryOptions());
  const limit = `${formatLimit(level.effective, level.algorithm)} · ${tMode(level.mode)}`;
  return (
    <Notice tone="unavailable">
      <strong>{t('title')}</strong>
      {gap}
      {t(isFetching ? 'reading' : isError ? 'unread' : 'now', { limit })}{' '}
      <Button onClick={onRetry}>{t('retry')}</Button>
    </Notice>
  );
}
