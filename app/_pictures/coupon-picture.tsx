import { lazy, Suspense } from 'react';
import coupons from './coupons.svg';
import { findDrawnCoupon } from './drawn-coupons';
import type { PicturedCoupon } from './picture-for';
import { SheetPicture } from './sheet-picture';

/** Loaded for coupons of operators. The others do not need the words of the categories. */
const OtherPicture = lazy(() => import('./other-picture'));

/** Draws the picture of a coupon: its own, else that of its merchant, else that of the category. */
export function CouponPicture({ coupon }: { coupon: PicturedCoupon }) {
  const id = findDrawnCoupon(coupon.id);
  if (id !== undefined) return <SheetPicture sheet={coupons} id={id} />;
  return (
    <Suspense>
      <OtherPicture coupon={coupon} />
    </Suspense>
  );
}
