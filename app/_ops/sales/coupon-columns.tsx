import { useTranslations } from 'next-intl';
import { couponTones } from '../../_components/coupon';
import { Button } from '../../_components/ui/button';
import type { Column } from '../../_components/ui/data-table';
import { Badge } from '../../_components/ui/status';
import { useLanguage } from '../../_i18n/language';
import { formatMoney } from '../../_i18n/numbers';
import type { Coupon } from '../../_trpc/types';
import { ClockTime } from '../clock-time';
import { toCsvInstant } from '../tables/to-csv-instant';
import type { OpsCoupon } from '../types';
import styles from './coupon-columns.module.css';

export type RowAction = 'edit' | 'stock' | 'close';

interface Options {
  onAction(action: RowAction, coupon: OpsCoupon): void;
  /** Called when the pointer or the focus comes near an action. */
  onNear(): void;
  /** The server's clock when the rows were read. */
  now: number;
}

/** Returns the columns of the table of sales. Their widths do not depend on dates, which arrive late. */
export function useCouponColumns({ onAction, onNear, now }: Options): Column<OpsCoupon>[] {
  const t = useTranslations('opsSales.coupons');
  const tCoupon = useTranslations('coupon');
  const language = useLanguage();

  function actionsOf(coupon: OpsCoupon): RowAction[] {
    if (getCouponState(coupon, now) === 'ended') return [];
    return coupon.stock ? ['edit', 'stock', 'close'] : ['edit', 'close'];
  }

  return [
    {
      id: 'title',
      header: t('column.title'),
      sortBy: ({ title }) => title[language],
      cell: ({ title, merchantName }) => (
        <span className={styles.title}>
          {title[language]}
          <span className={styles.merchant}>{merchantName[language]}</span>
        </span>
      ),
    },
    {
      id: 'state',
      card: 'end',
      width: '7rem',
      header: t('column.state'),
      sortBy: (coupon) => getCouponState(coupon, now),
      csv: (coupon) => tCoupon(`state.${getCouponState(coupon, now)}`),
      cell: (coupon) => {
        const state = getCouponState(coupon, now);
        return <Badge tone={couponTones[state]}>{tCoupon(`state.${state}`)}</Badge>;
      },
    },
    {
      id: 'sold',
      width: '6.75rem',
      header: t('column.sold'),
      kind: 'number',
      sortBy: ({ sold }) => sold,
      csv: ({ stock, sold }) => (stock ? `${sold} / ${stock.total}` : `${sold}`),
      cell: ({ stock, sold }) => (stock ? t('sold', { sold, total: stock.total }) : t('soldNoCap', { sold })),
    },
    {
      id: 'price',
      width: '8.25rem',
      header: t('column.price'),
      kind: 'number',
      sortBy: ({ priceCents }) => priceCents,
      csv: ({ priceCents, faceValueCents }) => `${priceCents / 100} / ${faceValueCents / 100}`,
      cell: ({ priceCents, faceValueCents }) => (
        <span>
          {priceCents === 0 ? tCoupon('free') : formatMoney(priceCents)}{' '}
          <span className={styles.worth}>/ {formatMoney(faceValueCents)}</span>
        </span>
      ),
    },
    {
      id: 'starts',
      width: '8.25rem',
      header: t('column.starts'),
      sortBy: ({ startsAt }) => startsAt,
      csv: (coupon) => (hasOpened(coupon) ? toCsvInstant(coupon.startsAt) : ''),
      cell: (coupon) =>
        hasOpened(coupon) ? <ClockTime at={coupon.startsAt} to="minute" /> : t('neverOpened'),
    },
    {
      id: 'ends',
      width: '10.25rem',
      header: t('column.ends'),
      sortBy: ({ endsAt }) => endsAt,
      csv: ({ endsAt }) => toCsvInstant(endsAt),
      cell: ({ endsAt }) => <ClockTime at={endsAt} to="minute" />,
    },
    {
      id: 'actions',
      card: 'line',
      width: '15.5rem',
      header: t('column.actions'),
      // Aligned right, as the actions.
      kind: 'number',
      cell: (coupon) => {
        const actions = actionsOf(coupon);
        const isUpcoming = getCouponState(coupon, now) === 'upcoming';
        const wordOf = (action: RowAction) => (action === 'close' && isUpcoming ? 'cancel' : action);
        return (
          actions.length > 0 && (
            <span className={styles.actions}>
              {actions.map((action) => (
                <Button
                  key={action}
                  variant="quiet"
                  aria-haspopup="dialog"
                  aria-label={t(`${wordOf(action)}Label`, { title: coupon.title[language] })}
                  onPointerEnter={onNear}
                  onFocus={onNear}
                  onClick={() => onAction(action, coupon)}
                >
                  {t(wordOf(action))}
                </Button>
              ))}
            </span>
          )
        );
      },
    },
  ];
}

/** Computes the state of a sale from its ledger row. `paused` is missing: only the gate stores it. */
export function getCouponState(
  { startsAt, endsAt, stock }: Pick<OpsCoupon, 'startsAt' | 'endsAt' | 'stock'>,
  now: number,
): Exclude<Coupon['state'], 'paused'> {
  if (now >= endsAt) return 'ended';
  if (now < startsAt) return 'upcoming';
  return stock && stock.sold >= stock.total ? 'sold-out' : 'live';
}

/** Returns false for a sale that was ended before its start. The server moves its start to 1 ms before its end. */
export function hasOpened({ startsAt, endsAt }: Pick<OpsCoupon, 'startsAt' | 'endsAt'>): boolean {
  return endsAt - startsAt > 1;
}
