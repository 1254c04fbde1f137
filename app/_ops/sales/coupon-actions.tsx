import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import { ConfirmDialog } from '../../_components/ui/dialog';
import { TextField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { useLanguage } from '../../_i18n/language';
import { useTRPC } from '../../_trpc/client';
import { type FormProblem, useFieldProblems, useProblem } from '../form-problems';
import type { OpsCoupon, OpsMerchant } from '../types';
import styles from './coupon-actions.module.css';
import { createBlankFields, toFields } from './coupon-fields';
import { CouponForm } from './coupon-form';

interface ActionProps {
  /** Called with the coupon's title after the ledger has the change. */
  onDone(title: string): void;
  onCancel(): void;
}

interface FormProps extends ActionProps {
  merchants: OpsMerchant[];
  /** The server's clock. */
  now: number;
}

/** Creates a sale. */
export function CreateCoupon({ merchants, now, onDone, onCancel }: FormProps) {
  const t = useTranslations('opsSales.coupons');
  const { create } = useCouponChanges(onDone);
  const [fields] = useState(() => createBlankFields({ merchantId: merchants[0]?.id ?? '', now }));
  return (
    <CouponForm
      label={t('create')}
      send={t('createNow')}
      fields={fields}
      merchants={merchants}
      isBusy={create.isBusy}
      problem={create.problem}
      onSend={(input) => create.submit(input)}
      onCancel={onCancel}
    />
  );
}

/** The fields that cannot change after the start. Stock has its own form. */
const fixedOnceStarted = ['merchantId', 'kind', 'faceValue', 'price', 'stock', 'startsAt'] as const;

/** Edits a sale. Sends only changed fields, if any, because form text is less precise than the stored values. */
export function EditCoupon({ coupon, merchants, now, onDone, onCancel }: FormProps & { coupon: OpsCoupon }) {
  const t = useTranslations('opsSales.coupons');
  const language = useLanguage();
  const { update } = useCouponChanges(onDone);
  const [fields] = useState(() => toFields(coupon));
  return (
    <CouponForm
      label={t('editLabel', { title: coupon.title[language] })}
      send={t('save')}
      fields={fields}
      merchants={merchants}
      fixed={now >= coupon.startsAt ? fixedOnceStarted : []}
      isBusy={update.isBusy}
      problem={update.problem}
      onSend={(input, changed) => {
        if (changed.length === 0) return onCancel();
        const sent = Object.entries(input).filter(([name]) => changed.includes(name));
        update.submit({ id: coupon.id, ...Object.fromEntries(sent) });
      }}
      onCancel={onCancel}
    />
  );
}

interface AddStockProps {
  coupon: OpsCoupon;
  onDone(title: string, pieces: number): void;
  onCancel(): void;
}

/** The field names of the procedure. */
const stockNames = ['addStock', 'stock'] as const;

/** A form that adds stock, also to a running sale. */
export function AddStock({ coupon, onDone, onCancel }: AddStockProps) {
  const t = useTranslations('opsSales.stock');
  const { register, handleSubmit, setFocus, formState } = useForm<{ pieces: number }>();
  useEffect(() => setFocus('pieces'), [setFocus]);
  const [added, setAdded] = useState(0);
  const { update } = useCouponChanges((title) => onDone(title, added));
  const found = useFieldProblems(update.problem, stockNames);
  const { addStock, stock } = found?.fields ?? {};

  function send({ pieces }: { pieces: number }): void {
    setAdded(pieces);
    update.submit({ id: coupon.id, addStock: pieces });
  }

  return (
    <form
      className={classNames(layout.stack3, styles.stock)}
      noValidate
      onSubmit={handleSubmit(send)}
      aria-label={t('title')}
    >
      <TextField
        type="number"
        min={1}
        label={t('pieces')}
        hint={coupon.stock ? t('now', { sold: coupon.sold, total: coupon.stock.total }) : ''}
        error={formState.errors.pieces?.message ?? addStock ?? stock ?? found?.rest ?? ''}
        {...register('pieces', {
          valueAsNumber: true,
          validate: (pieces) => (Number.isSafeInteger(pieces) && pieces >= 1) || t('notACount'),
        })}
      />
      <div className={layout.row2}>
        <Button type="submit" variant="primary" busy={update.isBusy}>
          {t('add')}
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          {t('cancel')}
        </Button>
      </div>
      <div role="status" className={layout.hiddenIfEmpty}>
        {update.problem && update.problem.kind !== 'rejected' && (
          <ProblemNote problem={update.problem} here="/ops/sales" />
        )}
      </div>
    </form>
  );
}

interface CloseSaleProps extends ActionProps {
  coupon: OpsCoupon;
  /** The sale has not opened: it never will. */
  isUpcoming: boolean;
  isOpen: boolean;
}

/** Confirms the closing of a sale, which is final. */
export function CloseSale({ coupon, isUpcoming, isOpen, onDone, onCancel }: CloseSaleProps) {
  const t = useTranslations(isUpcoming ? 'opsSales.cancel' : 'opsSales.close');
  const language = useLanguage();
  const { close } = useCouponChanges(onDone);
  return (
    <ConfirmDialog
      title={t('title', { title: coupon.title[language] })}
      isOpen={isOpen}
      confirm={t('close')}
      cancel={t('cancel')}
      isBusy={close.isBusy}
      onConfirm={() => close.submit({ id: coupon.id })}
      onClose={onCancel}
    >
      <p>{t('text')}</p>
      <div role="status" className={layout.hiddenIfEmpty}>
        {close.problem && <ProblemNote problem={close.problem} here="/ops/sales" />}
      </div>
    </ConfirmDialog>
  );
}

/** Returns the mutations of coupons. `onDone` is called with the title after the ledger has the change. */
function useCouponChanges(onDone: (title: string) => void) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();

  function onSuccess({ coupon }: { coupon: { title: string } }): void {
    void queryClient.invalidateQueries(trpc.ops.coupons.pathFilter());
    onDone(coupon.title);
  }

  return {
    create: useChange(useMutation(trpc.coupon.create.mutationOptions({ onSuccess }))),
    update: useChange(useMutation(trpc.coupon.update.mutationOptions({ onSuccess }))),
    close: useChange(useMutation(trpc.coupon.close.mutationOptions({ onSuccess }))),
  };
}

interface Mutation<Input> {
  mutate(input: Input): void;
  isPending: boolean;
  error: unknown;
}

function useChange<Input>({ mutate, isPending, error }: Mutation<Input>): {
  submit(input: Input): void;
  isBusy: boolean;
  problem: FormProblem | undefined;
} {
  return { submit: mutate, isBusy: isPending, problem: useProblem(error) };
}
