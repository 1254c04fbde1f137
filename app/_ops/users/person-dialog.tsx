import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useId } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { Dialog } from '../../_components/ui/dialog';
import { Choice, SelectField, TextField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { Skeleton } from '../../_components/ui/status';
import { levelKey, parseLevelKey } from '../../_live/level-key';
import { useServerClock } from '../../_live/live-provider';
import { useTRPC } from '../../_trpc/client';
import { problemOf } from '../../_trpc/problem';
import { MAX_REASON_LENGTH, toFormProblem, useFieldProblems, useProblem } from '../form-problems';
import { useLevelName, usePolicyName } from '../levels';
import { DurationFields, type DurationUnit, toLargestUnit, unitsMs } from '../limits/limit-values';
import type { Level, PersonChange, Policy } from '../types';
import { type Caller, MaskedCaller } from './callers';

interface Props {
  /** The caller to limit; `undefined` for a caller to type in. */
  caller: Caller | undefined;
  isOpen: boolean;
  onClose(): void;
}

const HERE = '/ops/who';

/** Sets the limit of a single caller. */
export default function PersonDialog({ caller, isOpen, onClose }: Props) {
  const t = useTranslations('opsUsers.persons');
  const trpc = useTRPC();
  const { data, error } = useQuery({ ...trpc.limit.list.queryOptions(), enabled: isOpen });
  const title = caller
    ? t.rich('dialogOf', { who: () => <MaskedCaller subject={caller.subject} /> })
    : t('dialog');
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      {data && <PersonForm caller={caller} policies={data.policies} onClose={onClose} />}
      {!data && !error && <Skeleton shape="panel" />}
      {!data && error && <ProblemNote problem={problemOf(error)} here={HERE} />}
    </Dialog>
  );
}

const kinds = ['numbers', 'exempt', 'deny'] as const;
/** The field names of the procedure. */
const inputs = ['subject', 'limit', 'windowMs', 'until', 'why'] as const;

/** The fields of the form of a personal limit. */
export interface PersonFields {
  /** `policy:level`. */
  counted: string;
  subject: string;
  kind: PersonChange['rule']['kind'];
  limit: number;
  /** Length of the window; of a denial, its length. */
  amount: number;
  unit: DurationUnit;
  why: string;
}

/** A form that sets a personal limit. */
function PersonForm({ caller, policies, onClose }: Omit<Props, 'isOpen'> & { policies: Policy[] }) {
  const t = useTranslations('opsUsers.persons');
  const clock = useServerClock();
  const kindName = useId();
  const levels = useCountedLevels(policies);
  const counted = caller ? levelKey(caller) : (levels[0]?.value ?? '');
  const levelOf = (name: string) => levels.find(({ value }) => value === name)?.level;
  const { control, register, handleSubmit, setValue, formState } = useForm<PersonFields>({
    defaultValues: {
      ...{ counted, subject: caller?.ref ?? '', kind: 'numbers', why: '' },
      ...toNumbers(levelOf(counted)),
    },
  });
  const kind = useWatch({ control, name: 'kind' });
  const { mutate, isPending, problem } = useSetPerson(onClose);
  const found = useFieldProblems(problem, inputs);
  const formProblem = toFormProblem(problem, found?.rest);
  const isGiven = (text: string) => text.trim() !== '' || t('required');

  const apply = handleSubmit((typed) => {
    const rule = toRule(typed, { level: levelOf(typed.counted), now: clock.now() });
    const { subject, why } = typed;
    mutate({ ...parseLevelKey(typed.counted), subject, rule, why, ...(caller && { mask: caller.subject }) });
  });

  return (
    <form className={layout.stack3} noValidate onSubmit={apply} aria-label={t('form')}>
      {!caller && (
        <>
          <Controller
            control={control}
            name="counted"
            render={({ field: { value, onChange } }) => (
              <SelectField
                label={t('level')}
                value={value}
                options={levels}
                onChange={(next) => {
                  onChange(next);
                  const { limit, amount, unit } = toNumbers(levelOf(next));
                  setValue('limit', limit);
                  setValue('amount', amount);
                  setValue('unit', unit);
                }}
              />
            )}
          />
          <TextField
            label={t('subject')}
            hint={t('subjectHint')}
            error={formState.errors.subject?.message ?? found?.fields.subject ?? ''}
            {...register('subject', { validate: isGiven })}
          />
        </>
      )}
      <Controller
        control={control}
        name="kind"
        render={({ field: { value, onChange } }) => (
          <Choice
            legend={t('rule')}
            name={kindName}
            value={value}
            options={kinds.map((one) => ({ value: one, label: t(`kinds.${one}`) }))}
            onChange={onChange}
          />
        )}
      />
      {kind === 'numbers' && (
        <TextField
          type="number"
          inputMode="numeric"
          min={1}
          label={t('limit')}
          error={found?.fields.limit ?? ''}
          {...register('limit', { valueAsNumber: true })}
        />
      )}
      {kind !== 'exempt' && (
        <Controller
          control={control}
          name="unit"
          render={({ field: { value, onChange } }) => (
            <DurationFields
              label={t(kind === 'deny' ? 'deniedFor' : 'window')}
              error={found?.fields[kind === 'deny' ? 'until' : 'windowMs'] ?? ''}
              {...register('amount', { valueAsNumber: true })}
              unit={value}
              onUnit={onChange}
            />
          )}
        />
      )}
      <TextField
        label={t('reason')}
        maxLength={MAX_REASON_LENGTH}
        error={formState.errors.why?.message ?? found?.fields.why ?? ''}
        {...register('why', { validate: isGiven })}
      />
      <div role="status" className={layout.hiddenIfEmpty}>
        {formProblem && <ProblemNote problem={formProblem} here={HERE} />}
      </div>
      <div className={layout.row2}>
        <Button type="submit" variant="primary" busy={isPending}>
          {t('set')}
        </Button>
        <Button variant="quiet" onClick={onClose}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  );
}

/** Returns the rule that the form describes. `now` is the instant from which a denial counts, epoch ms. */
export function toRule(
  { kind, limit, amount, unit }: Pick<PersonFields, 'kind' | 'limit' | 'amount' | 'unit'>,
  { level, now }: { level: Pick<Level, 'effective'> | undefined; now: number },
): PersonChange['rule'] {
  const ms = amount * unitsMs[unit];
  if (kind === 'exempt') return { kind };
  if (kind === 'deny') return { kind, until: Math.round(now + ms) };
  // An unchanged window follows the level.
  return { kind, limit, ...(ms !== level?.effective.windowMs && { windowMs: ms }) };
}

/** Returns the levels that count single callers, as options. */
function useCountedLevels(policies: Policy[]): { value: string; label: string; level: Level }[] {
  const levelName = useLevelName();
  const policyName = usePolicyName();
  return policies.flatMap(({ policy, levels }) =>
    levels
      .filter(({ level }) => level !== 'global')
      .map((level) => ({
        ...{ value: levelKey({ policy, level: level.level }), level },
        label: `${policyName(policy)} · ${levelName(level.level)}`,
      })),
  );
}

function toNumbers(level: Level | undefined): Pick<PersonFields, 'limit' | 'amount' | 'unit'> {
  return { limit: level?.effective.limit ?? 1, ...toLargestUnit(level?.effective.windowMs ?? 1_000) };
}

function useSetPerson(onSet: () => void) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation(
    trpc.limit.person.set.mutationOptions({
      onSuccess: onSet,
      onSettled: () =>
        Promise.all(
          [trpc.limit.person.list, trpc.ops.audit, trpc.ops.explain].map((one) =>
            queryClient.invalidateQueries(one.pathFilter()),
          ),
        ),
    }),
  );
  return { mutate, isPending, problem: useProblem(error) };
}
