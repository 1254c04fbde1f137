import { useQuery } from '@tanstack/react-query';
import { usePathname } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useEffect, useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import { ConfirmDialog } from '../../_components/ui/dialog';
import { Choice, TextField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { Skeleton } from '../../_components/ui/status';
import { formatCount } from '../../_i18n/numbers';
import { useDurations } from '../../_i18n/use-durations';
import { useTRPC } from '../../_trpc/client';
import { problemOf } from '../../_trpc/problem';
import { ClearWindow } from '../clear-window';
import { MAX_REASON_LENGTH, toFormProblem, useFieldProblems, useProblem } from '../form-problems';
import { usePolicyName } from '../levels';
import type { Level, Mode } from '../types';
import type { AppliedChange } from './limit-dialog-provider';
import { isUnconfirmed, UnconfirmedChange, useChangeLimit } from './limit-outcome';
import {
  DurationFields,
  type DurationUnit,
  diffLimit,
  findLevel,
  type LimitName,
  toLargestUnit,
  unitsMs,
  useFormatLimit,
} from './limit-values';
import styles from './limits.module.css';
import { MAX_REPLAY_MS, useWhatIf, WhatIfPanel } from './what-if';

interface Props {
  /** `known`: values that a row shows, for the time until the list is read. */
  limit: LimitName & { known?: Level | undefined };
  onClose(): void;
  onApplied(change: Pick<AppliedChange, 'policy' | 'before' | 'after'>): void;
}

/** Changes a limit, with a preview of the change. The content of a dialog. */
export default function LimitInDialog({ limit, onClose, onApplied }: Props) {
  const { policy } = limit;
  const here = usePathname();
  const trpc = useTRPC();
  const { data, error } = useQuery(trpc.limit.list.queryOptions());
  const listed = findLevel(data?.policies, limit);
  const level = listed ?? limit.known;
  return (
    <>
      {!listed && error && <ProblemNote problem={problemOf(error)} here={here} />}
      {!level && !error && <Skeleton shape="panel" />}
      {level && (
        <>
          <LimitForm {...{ policy, level, onApplied, onClose }} isRead={listed !== undefined} />
          {level.level === 'global' && <ClearWindow policy={policy} level="global" here={here} />}
        </>
      )}
    </>
  );
}

interface FormProps extends Pick<Props, 'onApplied' | 'onClose'> {
  policy: string;
  level: Level;
  /** `level` is from the list, not from a row. */
  isRead: boolean;
}

interface Fields {
  limit: number;
  amount: number;
  unit: DurationUnit;
  mode: Mode;
  why: string;
}

const modes = ['enforce', 'shadow', 'off', 'block'] as const satisfies Mode[];
/** The fields of the procedures that have an error of their own. */
const inputs = ['limit', 'windowMs'] as const;

/**
 * A form that changes a limit, next to the effect of the change on the last minutes. Applying requires current numbers.
 */
function LimitForm({ policy, level, isRead, onApplied, onClose }: FormProps) {
  const t = useTranslations('opsLimits');
  const policyName = usePolicyName();
  const { length } = useDurations();
  const formatLimit = useFormatLimit();
  const here = usePathname();
  const modeName = useId();
  const [isConfirming, setIsConfirming] = useState(false);
  const { register, watch, setValue, setFocus, handleSubmit, formState } = useForm<Fields>({
    // Another operator's change, or the list after the values of a row, replaces what was not edited.
    values: fieldsOf(level),
    resetOptions: { keepDirtyValues: true },
  });
  // Reading it makes the form record what was edited.
  void formState.dirtyFields;
  const { limit, amount, unit, mode, why } = watch();
  const windowMs = amount * unitsMs[unit];
  const isValid = isWhole(limit) && isWhole(windowMs);
  const change = isValid ? diffLimit({ limit, windowMs, mode }, level) : undefined;
  const whatIf = useWhatIf({ policy, level, change });
  const { update, reset } = useChangeLimit({ policy, level, onApplied });
  const failure = update.error ?? reset.error;
  const problem = useProblem(isUnconfirmed(failure) ? undefined : (failure ?? whatIf.error));
  const found = useFieldProblems(problem, inputs);
  const formProblem = toFormProblem(problem, found?.rest);
  const note = formProblem && <ProblemNote problem={formProblem} here={here} />;
  const tConfirm = useTranslations(`opsLimits.confirm.${mode === 'block' ? 'block' : 'off'}`);
  const isForAll = change?.mode === 'off' || change?.mode === 'block';
  const isRunning = level.algorithm === 'in-flight';
  // Without a store or a response there are no numbers, but an operator may have to act.
  const mayApply = isRead && ((whatIf.isSuccess && !whatIf.isPlaceholderData) || isUnconfirmed(whatIf.error));

  useEffect(() => setFocus('limit', { shouldSelect: true }), [setFocus]);

  function apply(): void {
    update.mutate({ policy, level: level.level, ...change, why: why || undefined });
  }

  function retry(): void {
    if (update.isError) update.mutate(update.variables);
    else if (reset.isError) reset.mutate(reset.variables);
  }

  const unconfirmed = isUnconfirmed(failure) && <UnconfirmedChange level={level} onRetry={retry} />;

  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={handleSubmit(() => (isForAll ? setIsConfirming(true) : apply()))}
      onChange={() => {
        update.reset();
        reset.reset();
      }}
      aria-label={t('form', { policy: policyName(policy) })}
    >
      <div className={layout.stack3}>
        <TextField
          type="number"
          inputMode="numeric"
          min={1}
          label={t(isRunning ? 'concurrent' : 'limit')}
          hint={t('now', { value: formatCount(level.effective.limit) })}
          error={isWhole(limit) ? (found?.fields.limit ?? '') : t('notACount')}
          {...register('limit', { valueAsNumber: true })}
        />
        <DurationFields
          label={t(isRunning ? 'lease' : 'window')}
          hint={t('now', { value: length(level.effective.windowMs) })}
          error={isWhole(windowMs) ? (found?.fields.windowMs ?? '') : t('notATime')}
          {...register('amount', { valueAsNumber: true })}
          unit={unit}
          onUnit={(next) => setValue('unit', next, { shouldDirty: true })}
        />
        <Choice<Mode>
          legend={t('modeNow', { mode: t(`modes.${level.mode}`) })}
          name={modeName}
          value={mode}
          options={modes.map((value) => ({ value, label: t(`modes.${value}`) }))}
          onChange={(next) => setValue('mode', next, { shouldDirty: true })}
        />
        <TextField label={t('why')} maxLength={MAX_REASON_LENGTH} {...register('why')} />
      </div>
      <WhatIfPanel whatIf={whatIf}>{note}</WhatIfPanel>
      <div className={classNames(layout.row2, layout.formButtons, styles.formActions)}>
        <Button type="submit" variant="primary" closed={!mayApply} busy={update.isPending}>
          {t(update.isPending ? 'applying' : 'apply')}
        </Button>
        <Button variant="quiet" onClick={onClose}>
          {t('cancel')}
        </Button>
        {level.version > 0 && diffLimit({ ...level.declared, mode: 'enforce' }, level) && (
          <Button busy={reset.isPending} onClick={() => reset.mutate({ policy, level: level.level })}>
            {reset.isPending
              ? t('applying')
              : t('reset', { limit: formatLimit(level.declared, level.algorithm) })}
          </Button>
        )}
        {change && !mayApply && whatIf.isFetching && (
          <span className={layout.hint}>{t('waits', { seconds: MAX_REPLAY_MS / 1_000 })}</span>
        )}
        <div role="status" className={layout.hiddenIfEmpty}>
          {!isConfirming && unconfirmed}
        </div>
      </div>
      <ConfirmDialog
        title={tConfirm('title')}
        confirm={update.isPending ? t('applying') : tConfirm('confirm')}
        cancel={tConfirm('cancel')}
        isOpen={isConfirming}
        isBusy={update.isPending}
        onConfirm={apply}
        onClose={() => {
          setIsConfirming(false);
          setValue('mode', level.mode, { shouldDirty: true });
        }}
      >
        <p>{tConfirm('text')}</p>
        <div role="status" className={layout.hiddenIfEmpty}>
          {update.isError && (unconfirmed || note)}
        </div>
      </ConfirmDialog>
    </form>
  );
}

/** The values of a level as the form shows them. */
function fieldsOf({ effective, mode }: Level): Fields {
  return { limit: effective.limit, ...toLargestUnit(effective.windowMs), mode, why: '' };
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}
