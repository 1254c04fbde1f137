import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocale, useTranslations } from 'next-intl';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../_components/ui/button';
import layout from '../../_components/ui/layout.module.css';
import { sentenceGap } from '../../_i18n/language';
import { stopwatch } from '../../_live/clock';
import { useCountdown } from '../../_live/use-now';
import { useTRPC, useTRPCClient } from '../../_trpc/client';
import { shownUser } from '../../_trpc/user';
import { useLevelName, usePolicyName } from '../levels';
import { useOpsFeed } from '../live/ops-feed-provider';
import type { Level, Policy } from '../types';
import { useRefetchOnChange } from '../use-refetch';
import type { AppliedChange, LimitName } from './limit-dialog-provider';
import styles from './undo-limit.module.css';
import { useFormatLimit } from './use-format-limit';

/** Time for which a change can be undone. */
const UNDO_MS = 60_000;

interface Props {
  change: AppliedChange;
  onClose(): void;
}

/**
 * States a change once the rows show it, and undoes it within a minute, until another change follows. It stays while it
 * has the focus.
 */
export default function UndoLimit({ change, onClose }: Props) {
  const t = useTranslations('opsLimits.undo');
  const bar = useRef<HTMLDivElement>(null);
  const undo = useUndo(change);
  const latest = useLatest(change);
  const isOvertaken = latest !== undefined && latest.version > change.after.version;
  const isUndone = undo.data === 'undone';
  const isApplied = undo.data === undefined && (!isOvertaken || undo.isPending);
  const [from, to] = isUndone ? [change.after, change.before] : [change.before, change.after];
  const isShown = useIsShown(change.policy, to);
  const done = isUndone ? 'undone' : 'applied';
  const seconds = useCountdown({
    clock: stopwatch,
    until: change.appliedAt + UNDO_MS,
    initial: change.appliedAt,
  });
  const gap = sentenceGap(useLocale());
  const formatChange = useFormatChange(change.policy);
  const isOver = seconds === 0;

  useEffect(() => {
    if (isOver && !bar.current?.contains(document.activeElement)) onClose();
  }, [isOver, onClose]);

  return (
    <div ref={bar} className={styles.bar}>
      <p className={styles.words}>
        {(isApplied || isUndone) && t(isShown ? done : 'applying', { limit: formatChange(from, to) })}
        {undo.data === undefined &&
          !isApplied &&
          latest &&
          t('changedSince', { limit: formatChange(change.after, latest) })}
        {undo.data === 'overtaken' && t('overtaken')}
        {undo.data === 'overtaken' &&
          latest &&
          isOvertaken &&
          gap + t('present', { limit: formatChange(latest, latest) })}
        {undo.isError && <span className={layout.failed}> {t('failed')}</span>}
      </p>
      <div className={layout.row2}>
        {isApplied && (
          <Button closed={isOver} busy={undo.isPending} onClick={() => undo.mutate()}>
            {t('undo')}
            {!isOver && <span aria-hidden="true">{t('left', { seconds })}</span>}
          </Button>
        )}
        <Button variant="quiet" onClick={onClose}>
          {t('close')}
        </Button>
      </div>
    </div>
  );
}

/** A row shows a change this long after it took effect, except for the window of a caller with a personal limit. */
const SHOWN_MS = 3_000;

/** Returns true once the rows of the overview show the values of a level. */
function useIsShown(policy: string, { level, effective: { limit, windowMs }, mode }: Level): boolean {
  const wanted = `${limit}/${windowMs}/${mode}`;
  const shown = useWindowValues({ policy, level });
  const [overdue, setOverdue] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setOverdue(wanted), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  return shown === wanted || overdue === wanted;
}

/** Returns the values of a level in the newest event, as a text that changes with them. */
function useWindowValues({ policy, level }: LimitName): string | undefined {
  return useOpsFeed(({ event }) => {
    const window = event?.windows.find((one) => one.policy === policy && one.level === level);
    return window && `${window.limit}/${window.windowMs}/${window.mode}`;
  });
}

/** All nodes have a change this long after the feed of one shows it. */
const SETTLE_MS = 1_000;

/** Returns the level with its latest change, also by another operator. */
function useLatest({ policy, after: { level } }: AppliedChange): Level | undefined {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.limit.list.queryOptions());
  useRefetchOnChange({
    signal: useWindowValues({ policy, level }),
    queries: [trpc.limit.list.queryFilter()],
    settleMs: SETTLE_MS,
  });
  return data && findLevel(data.policies, { policy, level });
}

function findLevel(policies: readonly Policy[], { policy, level }: LimitName): Level | undefined {
  return policies.find((one) => one.policy === policy)?.levels.find((one) => one.level === level);
}

/** Returns a mutation that restores the limit, unless another change has followed. The operator log has it as the reason. */
function useUndo({ policy, before, after }: AppliedChange) {
  const why = useTranslations('opsLimits.undo')('why');
  const client = useTRPCClient();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const name = { policy, level: before.level };
  return useMutation<'undone' | 'overtaken', Error, void>({
    async mutationFn() {
      // Of the click: another user may be shown when the change is sent.
      const options = { context: { userName: shownUser.name } };
      const { policies } = await client.limit.list.query();
      const current = findLevel(policies, name);
      // The node that answers may not have this change yet; it never has a newer version without another change.
      if ((current?.version ?? 0) > after.version) return 'overtaken';
      if (before.version === 0) await client.limit.reset.mutate({ ...name, why }, options);
      else await client.limit.update.mutate({ ...name, ...undoneFields(before, after), why }, options);
      return 'undone';
    },
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries(trpc.limit.list.queryFilter()),
        queryClient.invalidateQueries(trpc.ops.audit.pathFilter()),
      ]),
  });
}

/** Returns the fields that differ, so that the operator log lists only these. */
function undoneFields(before: Level, after: Level) {
  const { limit, windowMs } = before.effective;
  return {
    ...(limit !== after.effective.limit && { limit }),
    ...(windowMs !== after.effective.windowMs && { windowMs }),
    ...(before.mode !== after.mode && modeOf(before)),
  };
}

function modeOf({ mode }: Level) {
  const isOther = mode === 'shadow' || mode === 'off' || mode === 'block';
  return isOther ? ({ mode } as const) : ({ mode: 'enforce' } as const);
}

/** Returns a formatter of a change: `Flash sale, Everyone: 100 per 10 s → 50 per 10 s, enforced`. */
function useFormatChange(policy: string): (before: Level, after: Level) => string {
  const t = useTranslations('opsLimits');
  const tMode = useTranslations('ops.mode');
  const levelName = useLevelName();
  const policyName = usePolicyName();
  const formatLimit = useFormatLimit();
  const rateOf = ({ algorithm, effective }: Level) => formatLimit(effective, algorithm);
  const arrow = (before: string, after: string) => (before === after ? after : `${before} → ${after}`);
  return (before, after) =>
    t('undo.limit', {
      ...{ policy: policyName(policy), level: levelName(after.level) },
      rate: arrow(rateOf(before), rateOf(after)),
      mode: arrow(tMode(modeOf(before).mode), tMode(modeOf(after).mode)),
    });
}
