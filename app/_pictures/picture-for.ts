import type { Coupon, Merchant } from '../_trpc/types';
import { findDrawnCoupon } from './drawn-coupons';

/** A drawing: its sheet, `app/_pictures/<sheet>.svg`, and its id there. */
export interface PictureName {
  sheet: 'coupons' | 'merchants' | 'categories' | 'pages';
  id: string;
}

/** The fields of a coupon that select its picture. */
export type PicturedCoupon = Pick<Coupon, 'id' | 'merchantId' | 'merchant'>;

/** The demo's merchants that have a picture. */
const merchantIds: readonly string[] =
  'black-sesame-bakery chalk-and-rope ember-hotpot lantern-row-cinema long-bench-noodles margin-notes-books moss-and-stem nine-pin-alley pedal-works quiet-kiln slow-crane-coffee tidewater-sushi'.split(
    ' ',
  );

/** The words of a category, in both languages, that select its picture. The first that matches wins. */
const categories: readonly (readonly [string, RegExp])[] = [
  ['bakery', /bak|bread|面包|烘焙|甜/i],
  ['coffee', /coffee|tea|cafe|café|咖啡|茶/i],
  ['restaurant', /restaurant|food|餐|料理|火锅|面馆|小吃|菜/i],
  ['cinema', /cinema|film|theat|影|剧/i],
  ['books', /book|书/i],
  ['flowers', /flower|plant|garden|花|植/i],
  ['sport', /sport|gym|fitness|运动|健身/i],
  ['leisure', /leisure|game|bowl|娱乐|休闲/i],
  ['repair', /repair|service|维修|养护/i],
  ['workshop', /workshop|craft|手作|工坊/i],
];

/** Returns the picture of a coupon: its own, else that of its merchant, else that of the category. */
export function pictureOfCoupon({ id, merchantId, merchant }: PicturedCoupon): PictureName {
  const drawn = findDrawnCoupon(id);
  if (drawn !== undefined) return { sheet: 'coupons', id: drawn };
  return pictureOfMerchant({ id: merchantId, category: merchant.category });
}

/** Returns the picture of a merchant: its own, else that of the category, else a market stall. */
export function pictureOfMerchant({ id, category }: Pick<Merchant, 'id' | 'category'>): PictureName {
  if (merchantIds.includes(id)) return { sheet: 'merchants', id };
  const [name = 'shop'] = categories.find(([, words]) => words.test(category)) ?? [];
  return { sheet: 'categories', id: name };
}
