import { useTranslations } from 'next-intl';
import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { TextField } from '../../_components/ui/field';
import type { FormProblem } from '../form-problems';
import { useFieldProblems } from '../form-problems';
import styles from './stock-form.module.css';

/** The field names of the procedures. */
const sentNames = ['addStock', 'stock'] as const;

interface Props {
  isBusy: boolean;
  problem: FormProblem | undefined;
  onSend(pieces: number): void;
  onCancel(): void;
}

/** A form that adds stock, also to a running sale. */
export function StockForm({ isBusy, problem, onSend, onCancel }: Props) {
  const t = useTranslations('opsSales.stock');
  const { register, handleSubmit, setFocus, formState } = useForm<{ pieces: number }>();
  useEffect(() => setFocus('pieces'), [setFocus]);
  const found = useFieldProblems(problem, sentNames);
  const { addStock, stock } = found?.fields ?? {};

  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={handleSubmit(({ pieces }) => onSend(pieces))}
      aria-label={t('title')}
    >
      <TextField
        type="number"
        min={1}
        label={t('pieces')}
        error={formState.errors.pieces?.message ?? addStock ?? stock ?? found?.rest ?? ''}
        {...register('pieces', {
          valueAsNumber: true,
          validate: (pieces) => (Number.isSafeInteger(pieces) && pieces >= 1) || t('notACount'),
        })}
      />
      <div className={styles.buttons}>
        <Button type="submit" variant="primary" busy={isBusy}>
          {t('add')}
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          {t('cancel')}
        </Button>
      </div>
      <div role="status" className={styles.problem}>
        {problem && problem.kind !== 'rejected' && <ProblemNote problem={problem} here="/ops/sales" />}
      </div>
    </form>
  );
}
