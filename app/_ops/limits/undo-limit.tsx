import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useEffect, useRef } from 'react';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { stopwatch } from '../../_live/clock';
import { useCountdown } from '../../_live/use-now';
import { useTRPC, useTRPCClient } from '../../_trpc/client';
import { shownUser } from '../../_trpc/user';
import { useLevelName, usePolicyName } from '../levels';
import { useOpsFeed } from '../live/ops-feed-provider';
import type { Level } from '../types';
import { useRefetchOnChange } from '../use-refetch';
import type { AppliedChange } from './limit-dialog-provider';
import { diffLimit, findLevel, useFormatLimit } from './limit-values';
import styles from './limits.module.css';

/** Time for which a change can be undone. */
const UNDO_MS = 60_000;
/** A row shows a change this long after it took effect, except for the window of a caller with a personal limit. */
const SHOWN_MS = 3_000;
/** All nodes have a change this long after the feed of one shows it. */
const SETTLE_MS = 1_000;

interface Props {
  change: AppliedChange;
  onUndone(change: Omit<AppliedChange, 'appliedAt'>): void;
  onClose(): void;
}

/**
 * States a change once the rows show it, and undoes it within a minute, until another change follows. It stays while it
 * has the focus.
 */
export default function UndoLimit({ change, onUndone, onClose }: Props) {
  const { policy, before, after, appliedAt: initial, isUndo } = change;
  const t = useTranslations('opsLimits.undo');
  const bar = useRef<HTMLDivElement>(null);
  const trpc = useTRPC();
  const undo = useUndo(onUndone);
  const formatChange = useFormatChange(policy);
  const shown = useOpsFeed(({ event }) => {
    const window = event?.windows.find((one) => one.policy === policy && one.level === after.level);
    return window && `${window.limit}/${window.windowMs}/${window.mode}`;
  });
  const { limit, windowMs } = after.effective;
  const isOverdue = useCountdown({ clock: stopwatch, until: initial + SHOWN_MS, initial }) === 0;
  const isShown = shown === `${limit}/${windowMs}/${after.mode}` || isOverdue;
  const seconds = useCountdown({ clock: stopwatch, until: initial + UNDO_MS, initial });
  const isOver = seconds === 0;
  const { data: listed } = useQuery(trpc.limit.list.queryOptions());
  useRefetchOnChange({ signal: shown, queries: [trpc.limit.list.queryFilter()], settleMs: SETTLE_MS });
  const latest = findLevel(listed?.policies, { policy, level: after.level });
  const isOvertaken = latest !== undefined && latest.version > after.version && !undo.isPending;
  const isTried = undo.variables === change;

  useEffect(() => {
    if (isOver && !bar.current?.contains(document.activeElement)) onClose();
  }, [isOver, onClose]);

  function state(): string {
    if (isOvertaken && isTried) return t('overtaken', { limit: formatChange(latest, latest) });
    if (isOvertaken) return t('changedSince', { limit: formatChange(after, latest) });
    const applied = isUndo ? 'undone' : 'applied';
    return t(isShown ? applied : 'applying', { limit: formatChange(before, after) });
  }

  return (
    <div ref={bar} className={classNames(layout.row4, layout.apart, styles.undoBar)}>
      <p className={styles.undoText}>
        {state()}
        {undo.isError && isTried && <span className={layout.failed}> {t('failed')}</span>}
      </p>
      <div className={layout.row2}>
        {!isUndo && !isOvertaken && (
          <Button closed={isOver} busy={undo.isPending} onClick={() => undo.mutate(change)}>
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

/** Returns a mutation that restores a limit, unless another change has followed. The operator log has it as the reason. */
function useUndo(onUndone: Props['onUndone']) {
  const why = useTranslations('opsLimits.undo')('why');
  const client = useTRPCClient();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn({ policy, before, after }: AppliedChange) {
      const name = { policy, level: after.level };
      // Of the click: another user may be shown when the change is sent.
      const options = { context: { userName: shownUser.name } };
      const listed = await client.limit.list.query();
      queryClient.setQueryData(trpc.limit.list.queryKey(), listed);
      // The node that answers may not have this change yet; it never has a newer version without another change.
      if ((findLevel(listed.policies, name)?.version ?? 0) > after.version) return undefined;
      // The operator log lists only the fields that differ.
      const restored = diffLimit({ ...before.effective, mode: before.mode }, after);
      return before.version === 0
        ? await client.limit.reset.mutate({ ...name, why }, options)
        : await client.limit.update.mutate({ ...name, ...restored, why }, options);
    },
    onSuccess(reply, { policy, after }) {
      if (reply) onUndone({ policy, before: after, after: reply.level, isUndo: true });
    },
  });
}

/** Returns a formatter of a change: `Flash sale, Everyone: 100 per 10 s → 50 per 10 s, enforced`. */
function useFormatChange(policy: string): (before: Level, after: Level) => string {
  const t = useTranslations('opsLimits.undo');
  const tMode = useTranslations('ops.mode');
  const levelName = useLevelName();
  const policyName = usePolicyName();
  const formatLimit = useFormatLimit();
  const rateOf = ({ algorithm, effective }: Level) => formatLimit(effective, algorithm);
  const arrow = (before: string, after: string) => (before === after ? after : `${before} → ${after}`);
  return (before, after) =>
    t('limit', {
      ...{ policy: policyName(policy), level: levelName(after.level) },
      rate: arrow(rateOf(before), rateOf(after)),
      mode: arrow(tMode(before.mode), tMode(after.mode)),
    });
}
