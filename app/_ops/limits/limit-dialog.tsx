import { useMutation, useQuery } from '@tanstack/react-query';
import { usePathname } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useEffect, useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import { ConfirmDialog, Dialog } from '../../_components/ui/dialog';
import { Choice, TextField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { Skeleton } from '../../_components/ui/status';
import { formatCount } from '../../_i18n/numbers';
import { useDurations } from '../../_i18n/use-durations';
import { useTRPC } from '../../_trpc/client';
import { problemOf } from '../../_trpc/problem';
import { ClearWindow } from '../clear-window';
import { MAX_REASON_LENGTH, toFormProblem, useFieldProblems, useProblem } from '../form-problems';
import { useLevelName, usePolicyName } from '../levels';
import type { Level, Mode } from '../types';
import type { AppliedChange } from './limit-dialog-provider';
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
import { useWhatIf, WhatIfPanel } from './what-if';

interface Props {
  /** It stays while the dialog closes. */
  limit: LimitName;
  isOpen: boolean;
  onClose(): void;
  onApplied(change: Pick<AppliedChange, 'policy' | 'before' | 'after'>): void;
}

/** Changes a limit, with a preview of the change. */
export default function LimitDialog({ limit, isOpen, onClose, onApplied }: Props) {
  const { policy } = limit;
  const t = useTranslations('opsLimits');
  const levelName = useLevelName();
  const policyName = usePolicyName();
  const here = usePathname();
  const trpc = useTRPC();
  const { data, error } = useQuery({ ...trpc.limit.list.queryOptions(), enabled: isOpen });
  const level = findLevel(data?.policies, limit);
  return (
    <Dialog
      title={t('dialog', { policy: policyName(policy), level: levelName(limit.level) })}
      isOpen={isOpen}
      onClose={onClose}
      wide
    >
      <p>
        <code className={layout.soft}>{policy}</code>
      </p>
      {level && <LimitForm policy={policy} level={level} onApplied={onApplied} onClose={onClose} />}
      {!level && !error && <Skeleton shape="panel" />}
      {!level && error && <ProblemNote problem={problemOf(error)} here={here} />}
      {limit.level === 'global' && <ClearWindow policy={policy} level="global" here={here} />}
    </Dialog>
  );
}

interface FormProps extends Pick<Props, 'onApplied' | 'onClose'> {
  policy: string;
  level: Level;
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
function LimitForm({ policy, level, onApplied, onClose }: FormProps) {
  const t = useTranslations('opsLimits');
  const policyName = usePolicyName();
  const { length } = useDurations();
  const formatLimit = useFormatLimit();
  const here = usePathname();
  const trpc = useTRPC();
  const modeName = useId();
  const [isConfirming, setIsConfirming] = useState(false);
  const { register, watch, setValue, setFocus, handleSubmit } = useForm<Fields>({
    defaultValues: {
      limit: level.effective.limit,
      ...toLargestUnit(level.effective.windowMs),
      ...{ mode: level.mode, why: '' },
    },
  });
  const { limit, amount, unit, mode, why } = watch();
  const windowMs = amount * unitsMs[unit];
  const isValid = isWhole(limit) && isWhole(windowMs);
  const change = isValid ? diffLimit({ limit, windowMs, mode }, level) : undefined;
  const whatIf = useWhatIf({ policy, level, change });
  const onSuccess = (reply: { level: Level }) => onApplied({ policy, before: level, after: reply.level });
  const update = useMutation(trpc.limit.update.mutationOptions({ onSuccess }));
  const reset = useMutation(trpc.limit.reset.mutationOptions({ onSuccess }));
  const problem = useProblem(update.error ?? reset.error ?? whatIf.error);
  const found = useFieldProblems(problem, inputs);
  const formProblem = toFormProblem(problem, found?.rest);
  const note = formProblem && <ProblemNote problem={formProblem} here={here} />;
  const tConfirm = useTranslations(`opsLimits.confirm.${mode === 'block' ? 'block' : 'off'}`);
  const isForAll = change?.mode === 'off' || change?.mode === 'block';
  const isRunning = level.algorithm === 'in-flight';
  // Without a store there are no numbers, but an operator may have to act.
  const mayApply =
    (whatIf.isSuccess && !whatIf.isPlaceholderData) || problemOf(whatIf.error).kind === 'unavailable';

  useEffect(() => setFocus('limit', { shouldSelect: true }), [setFocus]);

  function apply(): void {
    update.mutate({ policy, level: level.level, ...change, why: why || undefined });
  }

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
          onUnit={(next) => setValue('unit', next)}
        />
        <Choice<Mode>
          legend={t('modeNow', { mode: t(`modes.${level.mode}`) })}
          name={modeName}
          value={mode}
          options={modes.map((value) => ({ value, label: t(`modes.${value}`) }))}
          onChange={(next) => setValue('mode', next)}
        />
        <TextField label={t('why')} maxLength={MAX_REASON_LENGTH} {...register('why')} />
      </div>
      <WhatIfPanel whatIf={whatIf}>{note}</WhatIfPanel>
      <div className={classNames(layout.row2, layout.formButtons, styles.formActions)}>
        <Button type="submit" variant="primary" closed={!mayApply} busy={update.isPending}>
          {t('apply')}
        </Button>
        <Button variant="quiet" onClick={onClose}>
          {t('cancel')}
        </Button>
        {level.version > 0 && diffLimit({ ...level.declared, mode: 'enforce' }, level) && (
          <Button busy={reset.isPending} onClick={() => reset.mutate({ policy, level: level.level })}>
            {t('reset', { limit: formatLimit(level.declared, level.algorithm) })}
          </Button>
        )}
      </div>
      <ConfirmDialog
        title={tConfirm('title')}
        confirm={tConfirm('confirm')}
        cancel={tConfirm('cancel')}
        isOpen={isConfirming}
        isBusy={update.isPending}
        onConfirm={apply}
        onClose={() => {
          setIsConfirming(false);
          setValue('mode', level.mode);
        }}
      >
        <p>{tConfirm('text')}</p>
        <div role="status" className={layout.hiddenIfEmpty}>
          {update.isError && note}
        </div>
      </ConfirmDialog>
    </form>
  );
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}
