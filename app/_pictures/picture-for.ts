import type { Coupon, Merchant } from '../_trpc/types';

/** A drawing: its sheet, `app/_pictures/<sheet>.svg`, and its id there. */
export interface PictureName {
  sheet: 'coupons' | 'merchants' | 'categories';
  id: string;
}

/** The demo's coupons that have a picture, by id without the round. */
const couponIds: readonly string[] =
  'hotpot-50 late-show-pair sesame-bun-box bean-of-the-week any-bowl bring-a-friend extra-broth miso-at-noon popcorn second-hand-shelf seasonal-bunch shoes-on-us spring-service first-bowl morning-cup'.split(
    ' ',
  );

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
export function pictureOfCoupon({
  id,
  merchantId,
  merchant,
}: Pick<Coupon, 'id' | 'merchantId' | 'merchant'>): PictureName {
  const series = id.replace(/-r\d+$/, '');
  if (couponIds.includes(series)) return { sheet: 'coupons', id: series };
  return pictureOfMerchant({ id: merchantId, category: merchant.category });
}

/** Returns the picture of a merchant: its own, else that of the category, else a market stall. */
export function pictureOfMerchant({ id, category }: Pick<Merchant, 'id' | 'category'>): PictureName {
  if (merchantIds.includes(id)) return { sheet: 'merchants', id };
  const [name = 'shop'] = categories.find(([, words]) => words.test(category)) ?? [];
  return { sheet: 'categories', id: name };
}
