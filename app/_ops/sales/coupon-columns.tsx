import { useLocale, useTranslations } from 'next-intl';
import { couponTones } from '../../_components/coupon-tones';
import { Badge } from '../../_components/ui/badge';
import type { Column } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { formatMoney } from '../../_i18n/money';
import type { Coupon } from '../../_trpc/types';
import { ClockTime } from '../clock-time';
import { OpenerButton } from '../opener-button';
import type { OpsCoupon } from '../types';
import styles from './coupon-columns.module.css';

export type RowAction = 'edit' | 'stock' | 'close';

interface Options {
  /** Returns the form that is open below a row. */
  openOf(coupon: OpsCoupon): RowAction | undefined;
  onToggle(action: RowAction, coupon: OpsCoupon): void;
  /** The server's clock when the rows were read. */
  now: number;
}

/** Returns the columns of the table of sales. */
export function useCouponColumns({ openOf, onToggle, now }: Options): Column<OpsCoupon>[] {
  const t = useTranslations('opsSales.coupons');
  const tCoupon = useTranslations('coupon');
  const language = useLocale();
  const money = (cents: number) => formatMoney(cents, language);

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
      header: t('column.state'),
      sortBy: (coupon) => getCouponState(coupon, now),
      cell: (coupon) => {
        const state = getCouponState(coupon, now);
        return <Badge tone={couponTones[state]}>{tCoupon(`state.${state}`)}</Badge>;
      },
    },
    {
      id: 'sold',
      header: t('column.sold'),
      kind: 'number',
      sortBy: ({ stock }) => stock?.sold,
      cell: ({ stock }) => (stock ? t('sold', { sold: stock.sold, total: stock.total }) : t('claim')),
    },
    {
      id: 'price',
      header: t('column.price'),
      kind: 'number',
      sortBy: ({ priceCents }) => priceCents,
      cell: ({ priceCents, faceValueCents }) => (
        <span>
          {priceCents === 0 ? tCoupon('free') : money(priceCents)}{' '}
          <span className={styles.worth}>/ {money(faceValueCents)}</span>
        </span>
      ),
    },
    {
      id: 'starts',
      header: t('column.starts'),
      sortBy: ({ startsAt }) => startsAt,
      cell: ({ startsAt }) => <ClockTime at={startsAt} to="minute" />,
    },
    {
      id: 'ends',
      header: t('column.ends'),
      sortBy: ({ endsAt }) => endsAt,
      cell: ({ endsAt }) => <ClockTime at={endsAt} to="minute" />,
    },
    {
      id: 'actions',
      header: t('column.actions'),
      cell: (coupon) => {
        const actions = actionsOf(coupon);
        return (
          actions.length > 0 && (
            <span className={layout.inline2}>
              {actions.map((action) => (
                <OpenerButton
                  key={action}
                  isOpen={openOf(coupon) === action}
                  label={t(`${action}Label`, { title: coupon.title[language] })}
                  onToggle={() => onToggle(action, coupon)}
                >
                  {t(action)}
                </OpenerButton>
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
