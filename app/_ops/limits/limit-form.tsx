import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useEffect, useId, useState } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { Button } from '../../_components/ui/button';
import { Choice } from '../../_components/ui/choice';
import { ConfirmDialog } from '../../_components/ui/confirm-dialog';
import { SelectField, TextField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { Notice } from '../../_components/ui/notice';
import { useDurations } from '../../_i18n/use-durations';
import { useTRPC } from '../../_trpc/client';
import { useFieldProblems, useProblem } from '../form-problems';
import type { Level, LimitChange, Mode } from '../types';
import { diffLimit, durationUnits, type LimitFields, toLargestUnit, unitsMs } from './limit-change';
import styles from './limit-form.module.css';
import { useWhatIf, WhatIfResult, WhatIfStatus } from './what-if';

interface Props {
  policy: string;
  level: Level;
  onUpdated(level: Level): void;
  /** Closes the form without a change. */
  onCancel(): void;
}

const modes = ['enforce', 'shadow', 'off'] as const satisfies Mode[];
/** The field names of the procedures. */
const inputs = ['limit', 'windowMs', 'why'] as const;
const MAX_REASON_LENGTH = 200;

/** A form that changes a limit. Applying requires a preview of the change. */
export function LimitForm({ policy, level, onUpdated, onCancel }: Props) {
  const t = useTranslations('opsLimits');
  const { length } = useDurations();
  const modeName = useId();
  const { amount, unit } = toLargestUnit(level.effective.windowMs);
  const { control, register, getValues, handleSubmit, setError, setFocus, formState } = useForm<LimitFields>({
    defaultValues: {
      limit: level.effective.limit,
      amount,
      unit,
      mode: modes.find((mode) => mode === level.mode) ?? 'enforce',
      why: '',
    },
  });
  const fields = useWatch({ control });
  const whatIf = useWhatIf({ policy, level: level.level });
  const limitUpdate = useLimitUpdate({ policy, level: level.level }, onUpdated);
  const [isSwitchingOff, setIsSwitchingOff] = useState(false);
  const problem = limitUpdate.problem ?? whatIf.problem;
  const found = useFieldProblems(problem, inputs);

  useEffect(() => setFocus('limit'), [setFocus]);

  // Shows the server's problems next to their fields.
  useEffect(() => {
    const { limit, windowMs, why } = found?.fields ?? {};
    if (limit) setError('limit', { message: limit });
    if (windowMs) setError('amount', { message: windowMs });
    if (why) setError('why', { message: why });
  }, [found, setError]);

  const change = diffLimit({ ...getValues(), ...fields }, level);
  const isChange = Object.keys(change).length > 0;
  const isSeen = JSON.stringify(whatIf.result?.change) === JSON.stringify(change);
  // Without a store there is no preview, but an operator may have to act.
  const mayApply = isChange && (isSeen || whatIf.problem?.kind === 'unavailable');

  const preview = handleSubmit(() => whatIf.run(change));
  const apply = handleSubmit(({ why }) => {
    if (change.mode === 'off' && !isSwitchingOff) setIsSwitchingOff(true);
    else limitUpdate.update({ ...change, ...(why.trim() && { why }) });
  });

  return (
    <form
      className={layout.stack3}
      noValidate
      onSubmit={mayApply ? apply : preview}
      aria-label={t('form', { policy })}
    >
      <div className={styles.fields}>
        <TextField
          type="number"
          min={1}
          label={t('limit')}
          error={formState.errors.limit?.message ?? ''}
          {...register('limit', {
            valueAsNumber: true,
            validate: (limit) => isWhole(limit, 1) || t('notACount'),
          })}
        />
        <TextField
          type="number"
          min={1}
          label={t('window')}
          error={formState.errors.amount?.message ?? ''}
          {...register('amount', {
            valueAsNumber: true,
            validate: (typed, { unit: chosen }) => isWhole(typed * unitsMs[chosen], 1) || t('notATime'),
          })}
        />
        <Controller
          control={control}
          name="unit"
          render={({ field: { value, onChange } }) => (
            <SelectField
              label={t('unit')}
              value={value}
              options={durationUnits.map((one) => ({ value: one, label: t(`units.${one}`) }))}
              onChange={onChange}
            />
          )}
        />
        <Controller
          control={control}
          name="mode"
          render={({ field: { value, onChange } }) => (
            <Choice<Mode>
              legend={t('mode')}
              name={modeName}
              value={value}
              options={modes.map((mode) => ({ value: mode, label: t(`modes.${mode}`) }))}
              onChange={onChange}
            />
          )}
        />
        <div className={styles.why}>
          <TextField
            label={t('why')}
            maxLength={MAX_REASON_LENGTH}
            error={formState.errors.why?.message ?? ''}
            {...register('why')}
          />
        </div>
      </div>
      <div className={styles.status} role="status">
        <WhatIfStatus
          problem={problem}
          rest={found?.rest}
          isRunning={whatIf.isRunning}
          onCancel={whatIf.cancel}
        >
          {isSeen && whatIf.result && <WhatIfResult whatIf={whatIf.result.whatIf} />}
          {!isSeen && <Notice>{t(isChange ? 'previewFirst' : 'unchanged')}</Notice>}
        </WhatIfStatus>
      </div>
      <div className={layout.row2}>
        {!mayApply && (
          <Button type="submit" variant="primary" closed={!isChange} busy={whatIf.isRunning}>
            {t('preview')}
          </Button>
        )}
        <Button
          type={mayApply ? 'submit' : 'button'}
          variant={mayApply ? 'primary' : 'secondary'}
          closed={!mayApply}
          busy={limitUpdate.isUpdating}
        >
          {t('apply')}
        </Button>
        <Button closed={level.version === 0} busy={limitUpdate.isResetting} onClick={limitUpdate.reset}>
          {t('reset', { limit: level.declared.limit, window: length(level.declared.windowMs) })}
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          {t('cancel')}
        </Button>
      </div>
      <SwitchOff
        isOpen={isSwitchingOff}
        isBusy={limitUpdate.isUpdating}
        onClose={() => setIsSwitchingOff(false)}
        onSwitchOff={() => void apply()}
      />
    </form>
  );
}

/** Confirms turning off a level. */
function SwitchOff({
  isOpen,
  isBusy,
  onClose,
  onSwitchOff,
}: {
  isOpen: boolean;
  isBusy: boolean;
  onClose(): void;
  onSwitchOff(): void;
}) {
  const t = useTranslations('opsLimits.switchOff');
  return (
    <ConfirmDialog
      title={t('title')}
      isOpen={isOpen}
      confirm={t('switchOff')}
      cancel={t('cancel')}
      isBusy={isBusy}
      onConfirm={onSwitchOff}
      onClose={onClose}
    >
      <p>{t('text')}</p>
    </ConfirmDialog>
  );
}

/** Returns functions that set or reset the override of a level. */
function useLimitUpdate(level: { policy: string; level: string }, onUpdated: (level: Level) => void) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();

  function onSuccess(updated: { level: Level }): void {
    void queryClient.invalidateQueries(trpc.limit.list.queryFilter());
    void queryClient.invalidateQueries(trpc.ops.audit.pathFilter());
    onUpdated(updated.level);
  }

  const update = useMutation(trpc.limit.update.mutationOptions({ onSuccess }));
  const reset = useMutation(trpc.limit.reset.mutationOptions({ onSuccess }));
  return {
    update: (change: Omit<LimitChange, 'policy' | 'level'>) => update.mutate({ ...level, ...change }),
    reset: () => reset.mutate(level),
    isUpdating: update.isPending,
    isResetting: reset.isPending,
    problem: useProblem(update.error ?? reset.error),
  };
}

function isWhole(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least;
}
