import { Picture } from './picture';
import { type PicturedCoupon, pictureOfCoupon } from './picture-for';

/** Draws a coupon that has no picture of its own. */
export default function OtherPicture({ coupon }: { coupon: PicturedCoupon }) {
  return <Picture name={pictureOfCoupon(coupon)} />;
}
