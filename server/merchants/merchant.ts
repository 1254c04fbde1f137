/** A merchant for shoppers, in the caller's language. */
export interface Merchant {
  id: string;
  name: string;
  category: string;
  address: string;
  about: string;
  /** Number of coupons that the shop shows, in any state. */
  couponCount: number;
}
