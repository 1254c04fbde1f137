import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import { ConfirmDialog, Dialog } from '../../_components/ui/dialog';
import { TextField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { useLanguage } from '../../_i18n/language';
import { useTRPC } from '../../_trpc/client';
import { useFieldProblems, useProblem } from '../form-problems';
import type { CouponInput, OpsCoupon, OpsMerchantPage } from '../types';
import { CouponForm, createBlankFields, toCouponInput, toFields } from './coupon-form';
import type { OpenDialog } from './coupons-section';
import styles from './sales.module.css';

interface Props {
  /** `undefined` while no dialog is open. */
  open: OpenDialog | undefined;
  merchants: OpsMerchantPage;
  /** The server's clock. */
  now: number;
  /** Called with a sentence about the result. */
  onDone(words: string): void;
  onClose(): void;
}

/** The dialogs that create, edit, restock and close a sale. */
export default function SaleDialogs({ open, merchants, now, onDone, onClose }: Props) {
  const t = useTranslations('opsSales.coupons');
  const language = useLanguage();
  // The last dialog stays mounted while it closes, so that the focus returns to its button.
  const [latest, setLatest] = useState(open);
  if (open && open !== latest) setLatest(open);
  const shown = open ?? latest;
  if (!shown) return null;
  const form = { merchants, now, onDone, onCancel: onClose };
  if (shown.what === 'create') {
    return (
      <Dialog title={t('create')} isOpen={open !== undefined} onClose={onClose}>
        <CreateCoupon {...form} />
      </Dialog>
    );
  }
  const { what, coupon } = shown;
  const of = { coupon, onDone, onCancel: onClose };
  if (what === 'close') {
    return <CloseSale {...of} isUpcoming={now < coupon.startsAt} isOpen={open !== undefined} />;
  }
  return (
    <Dialog
      title={t(`${what}Label`, { title: coupon.title[language] })}
      isOpen={open !== undefined}
      onClose={onClose}
    >
      {what === 'edit' ? <EditCoupon {...form} coupon={coupon} /> : <AddStock {...of} />}
    </Dialog>
  );
}

interface ActionProps {
  /** Called with a sentence about the result after the ledger has it. */
  onDone(words: string): void;
  onCancel(): void;
}

interface FormProps extends ActionProps {
  merchants: OpsMerchantPage;
  now: number;
}

function CreateCoupon({ merchants, now, onDone, onCancel }: FormProps) {
  const t = useTranslations('opsSales.coupons');
  const trpc = useTRPC();
  const readAgain = useReadAgain();
  const { mutate, isPending, error } = useMutation(
    trpc.coupon.create.mutationOptions({
      onSuccess({ coupon: { title } }) {
        readAgain();
        onDone(t('created', { title }));
      },
    }),
  );
  const [merchant] = merchants.merchants;
  const [fields] = useState(() => createBlankFields({ merchantId: merchant?.id ?? '', now }));
  return (
    <CouponForm
      label={t('create')}
      send={t('createNow')}
      fields={fields}
      merchants={merchants}
      merchant={merchant}
      now={now}
      isBusy={isPending}
      problem={useProblem(error)}
      onSend={(input) => mutate(input)}
      onCancel={onCancel}
    />
  );
}

/** The fields that cannot change after the start. Stock has its own form. */
const fixedOnceStarted = ['merchantId', 'kind', 'faceValue', 'price', 'stock', 'startsAt'] as const;

/** Edits a sale. Sends only changed fields, if any, because form text is less precise than the stored values. */
function EditCoupon({ coupon, merchants, now, onDone, onCancel }: FormProps & { coupon: OpsCoupon }) {
  const t = useTranslations('opsSales.coupons');
  const language = useLanguage();
  const trpc = useTRPC();
  const readAgain = useReadAgain();
  const { mutate, isPending, error } = useMutation(
    trpc.coupon.update.mutationOptions({
      onSuccess({ coupon: { title } }) {
        readAgain();
        onDone(t('changed', { title }));
      },
    }),
  );
  const [fields] = useState(() => toFields(coupon));
  return (
    <CouponForm
      label={t('editLabel', { title: coupon.title[language] })}
      send={t('save')}
      fields={fields}
      merchants={merchants}
      merchant={{ id: coupon.merchantId, name: coupon.merchantName }}
      now={now}
      fixed={now >= coupon.startsAt ? fixedOnceStarted : []}
      isBusy={isPending}
      problem={useProblem(error)}
      onSend={(input) => {
        const changes = listChanges(toCouponInput(fields), input);
        if (changes.length === 0) return onCancel();
        mutate({ id: coupon.id, ...Object.fromEntries(changes) });
      }}
      onCancel={onCancel}
    />
  );
}

/** Returns the entries of `input` that differ from those of the unchanged form. */
function listChanges(before: CouponInput, input: CouponInput): [name: string, value: unknown][] {
  const unchanged = new Map<string, unknown>(Object.entries(before));
  return Object.entries(input).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(unchanged.get(name)),
  );
}

/** The field names of the procedure. */
const stockNames = ['addStock', 'stock'] as const;

/** A form that adds stock, also to a running sale. */
function AddStock({ coupon, onDone, onCancel }: ActionProps & { coupon: OpsCoupon }) {
  const t = useTranslations('opsSales');
  const trpc = useTRPC();
  const { register, handleSubmit, setFocus, formState } = useForm<{ pieces: number }>();
  const readAgain = useReadAgain();
  const { mutate, isPending, error } = useMutation(
    trpc.coupon.update.mutationOptions({
      onSuccess({ coupon: { title } }, { addStock: pieces = 0 }) {
        readAgain();
        onDone(t('coupons.restocked', { title, pieces }));
      },
    }),
  );
  const problem = useProblem(error);
  const found = useFieldProblems(problem, stockNames);
  const { addStock, stock } = found?.fields ?? {};

  useEffect(() => setFocus('pieces'), [setFocus]);

  return (
    <form
      className={classNames(layout.stack3, styles.stock)}
      noValidate
      onSubmit={handleSubmit(({ pieces }) => mutate({ id: coupon.id, addStock: pieces }))}
      aria-label={t('stock.title')}
    >
      <TextField
        type="number"
        min={1}
        label={t('stock.pieces')}
        hint={coupon.stock ? t('stock.now', { sold: coupon.sold, total: coupon.stock.total }) : ''}
        error={formState.errors.pieces?.message ?? addStock ?? stock ?? found?.rest ?? ''}
        {...register('pieces', {
          valueAsNumber: true,
          validate: (pieces) => (Number.isSafeInteger(pieces) && pieces >= 1) || t('stock.notACount'),
        })}
      />
      <div className={layout.row2}>
        <Button type="submit" variant="primary" busy={isPending}>
          {t('stock.add')}
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          {t('stock.cancel')}
        </Button>
      </div>
      <div role="status" className={layout.hiddenIfEmpty}>
        {problem && problem.kind !== 'rejected' && <ProblemNote problem={problem} here="/ops/sales" />}
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
function CloseSale({ coupon, isUpcoming, isOpen, onDone, onCancel }: CloseSaleProps) {
  const t = useTranslations(isUpcoming ? 'opsSales.cancel' : 'opsSales.close');
  const tCoupons = useTranslations('opsSales.coupons');
  const language = useLanguage();
  const trpc = useTRPC();
  const readAgain = useReadAgain();
  const { mutate, isPending, error } = useMutation(
    trpc.coupon.close.mutationOptions({
      onSuccess({ coupon: { title } }) {
        readAgain();
        onDone(tCoupons(isUpcoming ? 'cancelled' : 'closed', { title }));
      },
    }),
  );
  const problem = useProblem(error);
  return (
    <ConfirmDialog
      title={t('title', { title: coupon.title[language] })}
      isOpen={isOpen}
      confirm={t('close')}
      cancel={t('cancel')}
      isBusy={isPending}
      onConfirm={() => mutate({ id: coupon.id })}
      onClose={onCancel}
    >
      <p>{t('text')}</p>
      <div role="status" className={layout.hiddenIfEmpty}>
        {problem && <ProblemNote problem={problem} here="/ops/sales" />}
      </div>
    </ConfirmDialog>
  );
}

/** Returns a function that reads the sales again after a change. */
function useReadAgain(): () => void {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return () => void queryClient.invalidateQueries(trpc.ops.coupons.pathFilter());
}
