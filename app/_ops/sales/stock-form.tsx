import { useTranslations } from 'next-intl';
import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { TextField } from '../../_components/ui/field';
import type { Problem } from '../../_trpc/problem';
import { fieldProblems } from '../field-problems';
import styles from './stock-form.module.css';

interface Props {
  isBusy: boolean;
  problem: Problem | undefined;
  onSend(pieces: number): void;
  onCancel(): void;
}

/** More pieces for a sale, also while it runs. */
export function StockForm({ isBusy, problem, onSend, onCancel }: Props) {
  const t = useTranslations('opsSales.stock');
  const { register, handleSubmit, setFocus } = useForm<{ pieces: number }>();
  useEffect(() => setFocus('pieces'), [setFocus]);
  const found =
    problem?.kind === 'rejected' ? fieldProblems(problem.message, ['addStock', 'stock']) : undefined;

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
        error={found ? (found.fields.addStock ?? found.fields.stock ?? found.rest ?? '') : ''}
        {...register('pieces', { valueAsNumber: true })}
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
