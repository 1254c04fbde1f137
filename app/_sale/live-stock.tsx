import type { ReactNode } from 'react';
import { StockBar } from '../_components/coupon';
import { useLiveStock } from '../_live/live-provider';
import type { Coupon } from '../_trpc/types';

interface Props {
  /** The id of the coupon. */
  id: string;
  /** The stock as the server listed it. */
  stock: NonNullable<Coupon['stock']>;
  time: ReactNode;
}

/** Shows the live stock of a coupon. Its own component, so that a sold unit redraws nothing else of the card. */
export function LiveStock({ id, stock, time }: Props) {
  return <StockBar {...stock} remaining={useLiveStock({ id, stock }) ?? stock.remaining} time={time} />;
}
