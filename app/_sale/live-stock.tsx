import type { ReactNode } from 'react';
import { StockBar } from '../_components/stock-bar';
import { useLiveStock } from '../_live/live-provider';
import type { Coupon } from '../_trpc/types';

interface Props {
  coupon: Pick<Coupon, 'id'> & { stock: NonNullable<Coupon['stock']> };
  time: ReactNode;
}

/** Shows the live stock of a coupon. Its own component, so that a sold unit redraws nothing else of the card. */
export function LiveStock({ coupon, time }: Props) {
  const { total, remaining } = coupon.stock;
  return <StockBar total={total} remaining={useLiveStock(coupon) ?? remaining} time={time} />;
}
