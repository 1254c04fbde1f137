import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useEffect, useId, useState } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import { ConfirmDialog } from '../../_components/ui/dialog';
import { Choice, TextField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { formatCount } from '../../_i18n/numbers';
import { useDurations, usePeriod } from '../../_i18n/use-durations';
import { useTRPC } from '../../_trpc/client';
import type { Problem } from '../../_trpc/problem';
import { MAX_REASON_LENGTH, toFormProblem, useFieldProblems, useProblem } from '../form-problems';
import { isOverridden, usePolicyName } from '../levels';
import type { Level, LimitChange, Mode } from '../types';
import { DurationFields } from './duration-fields';
import { diffLimit, type LimitFields, toLargestUnit, unitsMs } from './limit-change';
import type { AppliedChange } from './limit-dialog-provider';
import styles from './limit-form.module.css';
import { useWhatIf } from './use-what-if';
import { WhatIfPanel } from './what-if';

interface Props {
  policy: string;
  level: Level;
  /** The page to return to after signing in. */
  here: string;
  onApplied(change: AppliedChange): void;
  /** Closes the form without a change. */
  onCancel(): void;
}

const modes = ['enforce', 'shadow', 'off', 'block'] as const satisfies Mode[];
/** The field names of the procedures. */
const inputs = ['limit', 'windowMs', 'why'] as const;

/**
 * A form that changes a limit, next to the effect of the change on the last minutes. Applying requires current numbers.
 */
export function LimitForm({ policy, level, here, onApplied, onCancel }: Props) {
  const t = useTranslations('opsLimits');
  const policyName = usePolicyName();
  const { length } = useDurations();
  const period = usePeriod();
  const modeName = useId();
  const reasonId = useId();
  const isRunning = level.algorithm === 'in-flight';
  const present = modes.find((mode) => mode === level.mode) ?? 'enforce';
  const { amount, unit } = toLargestUnit(level.effective.windowMs);
  const { control, register, getValues, setValue, handleSubmit, setFocus, formState } = useForm<LimitFields>({
    defaultValues: {
      limit: level.effective.limit,
      amount,
      unit,
      mode: present,
      why: '',
    },
  });
  const typed = { ...getValues(), ...useWatch({ control }) };
  const isValid = isWhole(typed.limit) && isWhole(typed.amount * unitsMs[typed.unit]);
  const change = diffLimit(typed, level);
  const isChange = isValid && Object.keys(change).length > 0;
  const whatIf = useWhatIf({ policy, level, change: isChange ? change : undefined });
  const limitUpdate = useLimitUpdate({ policy, level }, onApplied);
  const [confirming, setConfirming] = useState<ConfirmedMode>();

  function keepMode(): void {
    setConfirming(undefined);
    setValue('mode', present);
  }

  const problem = limitUpdate.problem ?? whatIf.problem;
  const found = useFieldProblems(problem, inputs);
  // Without a store there are no numbers, but an operator may have to act.
  const mayApply = isChange && (whatIf.isCurrent || whatIf.problem?.kind === 'unavailable');

  useEffect(() => setFocus('limit', { shouldSelect: true }), [setFocus]);

  const apply = handleSubmit(({ why }) => {
    if (!mayApply) return;
    if ((change.mode === 'off' || change.mode === 'block') && !confirming) setConfirming(change.mode);
    else limitUpdate.update({ ...change, ...(why.trim() && { why }) });
  });

  function errorOf(name: 'limit' | 'amount' | 'why', sentAs: (typeof inputs)[number]): string {
    return formState.errors[name]?.message ?? found?.fields[sentAs] ?? '';
  }

  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={apply}
      onChange={limitUpdate.clearProblem}
      aria-label={t('form', { policy: policyName(policy) })}
    >
      <div className={layout.stack3}>
        <TextField
          type="number"
          inputMode="numeric"
          min={1}
          label={t(isRunning ? 'concurrent' : 'limit')}
          hint={t('now', { value: formatCount(level.effective.limit) })}
          error={errorOf('limit', 'limit')}
          {...register('limit', {
            valueAsNumber: true,
            validate: (limit) => isWhole(limit) || t('notACount'),
          })}
        />
        <Controller
          control={control}
          name="unit"
          render={({ field: { value, onChange } }) => (
            <DurationFields
              label={t(isRunning ? 'lease' : 'window')}
              hint={t('now', { value: length(level.effective.windowMs) })}
              error={errorOf('amount', 'windowMs')}
              {...register('amount', {
                valueAsNumber: true,
                validate: (length, { unit: chosen }) => isWhole(length * unitsMs[chosen]) || t('notATime'),
              })}
              unit={value}
              onUnit={onChange}
            />
          )}
        />
        <Controller
          control={control}
          name="mode"
          render={({ field: { value, onChange } }) => (
            <Choice<Mode>
              legend={t('modeNow', { mode: t(`modes.${present}`) })}
              name={modeName}
              value={value}
              options={modes.map((mode) => ({ value: mode, label: t(`modes.${mode}`) }))}
              onChange={onChange}
            />
          )}
        />
        <TextField
          label={t('why')}
          maxLength={MAX_REASON_LENGTH}
          error={errorOf('why', 'why')}
          {...register('why')}
        />
      </div>
      <WhatIfPanel
        whatIf={whatIf}
        isValid={isValid}
        isChange={isChange}
        problem={toFormProblem(problem, found?.rest)}
        here={here}
      />
      <div className={classNames(layout.row2, layout.formButtons, styles.buttons)}>
        <Button
          type="submit"
          variant="primary"
          // Invalid fields may be submitted, which explains them.
          closed={isValid && !mayApply}
          busy={limitUpdate.isUpdating}
          aria-describedby={whatIf.isCancelled ? reasonId : undefined}
        >
          {t('apply')}
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          {t('cancel')}
        </Button>
        {level.version > 0 && (level.mode !== 'enforce' || isOverridden(level, undefined)) && (
          <Button busy={limitUpdate.isResetting} onClick={limitUpdate.reset}>
            {t(isRunning ? 'resetRunning' : 'reset', {
              limit: level.declared.limit,
              window: period(level.declared.windowMs),
            })}
          </Button>
        )}
        {whatIf.isCancelled && (
          <span id={reasonId} className={layout.hint}>
            {t('previewFirst')}
          </span>
        )}
      </div>
      <ConfirmMode
        mode={confirming}
        isBusy={limitUpdate.isUpdating}
        problem={limitUpdate.problem}
        here={here}
        onClose={keepMode}
        onConfirm={() => void apply()}
      />
    </form>
  );
}

/** The modes that affect every caller at once. */
type ConfirmedMode = Extract<Mode, 'off' | 'block'>;

interface ConfirmModeProps {
  /** The mode to confirm; `undefined` for none. */
  mode: ConfirmedMode | undefined;
  isBusy: boolean;
  /** The dialog covers the form, so it shows the problem of the change, too. */
  problem: Problem | undefined;
  here: string;
  onClose(): void;
  onConfirm(): void;
}

/** Confirms turning off a level, or blocking all its calls. */
function ConfirmMode({ mode, isBusy, problem, here, onClose, onConfirm }: ConfirmModeProps) {
  const t = useTranslations('opsLimits.confirm');
  // The closing dialog keeps its text.
  const [shown, setShown] = useState<ConfirmedMode>('off');
  if (mode && mode !== shown) setShown(mode);
  return (
    <ConfirmDialog
      title={t(`${shown}.title`)}
      isOpen={mode !== undefined}
      confirm={t(`${shown}.confirm`)}
      cancel={t(`${shown}.cancel`)}
      isBusy={isBusy}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>{t(`${shown}.text`)}</p>
      <div role="status" className={layout.hiddenIfEmpty}>
        {problem && <ProblemNote problem={problem} here={here} />}
      </div>
    </ConfirmDialog>
  );
}

/** Returns functions that set or reset the override of a level. */
function useLimitUpdate(
  { policy, level }: { policy: string; level: Level },
  onApplied: (change: AppliedChange) => void,
) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const name = { policy, level: level.level };

  function onSuccess({ level: after }: { level: Level }): void {
    void queryClient.invalidateQueries(trpc.limit.list.queryFilter());
    void queryClient.invalidateQueries(trpc.ops.audit.pathFilter());
    onApplied({ policy, before: level, after, appliedAt: performance.now() });
  }

  const update = useMutation(trpc.limit.update.mutationOptions({ onSuccess }));
  const reset = useMutation(trpc.limit.reset.mutationOptions({ onSuccess }));
  return {
    update: (change: Omit<LimitChange, 'policy' | 'level'>) => update.mutate({ ...name, ...change }),
    reset: () => reset.mutate(name),
    isUpdating: update.isPending,
    isResetting: reset.isPending,
    problem: useProblem(update.error ?? reset.error),
    clearProblem() {
      if (update.isError) update.reset();
      if (reset.isError) reset.reset();
    },
  };
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}
