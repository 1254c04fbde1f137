/** A merchant as shoppers see it, in the caller's language. */
export interface Merchant {
  id: string;
  name: string;
  category: string;
  address: string;
  about: string;
  /** Coupons that the shop shows, whatever their state. */
  couponCount: number;
}
