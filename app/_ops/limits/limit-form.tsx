import { useTranslations } from 'next-intl';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { Choice } from '../../_components/ui/choice';
import { SelectField, TextField } from '../../_components/ui/field';
import { Notice } from '../../_components/ui/notice';
import { Progress } from '../../_components/ui/progress';
import { useDurations } from '../../_i18n/use-durations';
import type { Problem } from '../../_trpc/problem';
import type { Level, Mode } from '../types';
import { useFieldProblems } from '../use-field-problems';
import { durationUnits, inUnit, unitsMs } from './duration-unit';
import { diffLimit, type LimitFields } from './limit-change';
import styles from './limit-form.module.css';
import { SwitchOff } from './switch-off';
import type { LimitUpdate } from './use-limit-update';
import { useWhatIf } from './use-what-if';
import { WhatIfResult } from './what-if-result';

interface Props {
  policy: string;
  level: Level;
  limitUpdate: LimitUpdate;
  /** Closes the form without a change. */
  onCancel(): void;
}

const modes = ['enforce', 'shadow', 'off'] as const satisfies Mode[];
/** The field names of the procedures. */
const inputs = ['limit', 'windowMs', 'why'] as const;
const MAX_REASON_LENGTH = 200;

/** A form that changes a limit. Applying requires a preview of the change. */
export function LimitForm({ policy, level, limitUpdate, onCancel }: Props) {
  const t = useTranslations('opsLimits');
  const { length } = useDurations();
  const modeName = useId();
  const { amount, unit } = inUnit(level.effective.windowMs);
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
  const isSeen = JSON.stringify(whatIf.answer?.change) === JSON.stringify(change);
  // Without a store there is no preview, but an operator may have to act.
  const mayApply = isChange && (isSeen || whatIf.problem?.kind === 'unavailable');

  const preview = handleSubmit(() => whatIf.run(change));
  const apply = handleSubmit(({ why }) => {
    if (change.mode === 'off' && !isSwitchingOff) setIsSwitchingOff(true);
    else limitUpdate.update({ ...change, ...(why.trim() && { why }) });
  });

  return (
    <form
      className={styles.form}
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
      <div className={styles.answer} role="status">
        <Answer problem={problem} rest={found?.rest} isRunning={whatIf.isRunning} onCancel={whatIf.cancel}>
          {isSeen && whatIf.answer && <WhatIfResult whatIf={whatIf.answer.whatIf} />}
          {!isSeen && <Notice>{t(isChange ? 'previewFirst' : 'unchanged')}</Notice>}
        </Answer>
      </div>
      <div className={styles.buttons}>
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

interface AnswerProps {
  problem: Problem | undefined;
  /** The problems that belong to no field. */
  rest: string | undefined;
  isRunning: boolean;
  onCancel(): void;
  /** Shown when nothing is running and nothing failed. */
  children: ReactNode;
}

function Answer({ problem, rest, isRunning, onCancel, children }: AnswerProps) {
  const t = useTranslations('opsLimits');
  if (isRunning) {
    return (
      <div className={styles.confirmation}>
        <div className={styles.progress}>
          <span>{t('replaying')}</span>
          <Progress label={t('replaying')} overMs={0} />
        </div>
        <Button onClick={onCancel}>{t('stop')}</Button>
      </div>
    );
  }
  if (problem?.kind === 'rejected') {
    return rest ? <ProblemNote problem={{ ...problem, message: rest }} here="/ops/steer" /> : children;
  }
  if (problem) return <ProblemNote problem={problem} here="/ops/steer" />;
  return children;
}

function isWhole(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least;
}
