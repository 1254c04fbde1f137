import type { Coupon, Merchant } from '../_trpc/types';
import categorySheet from './categories.svg';
import coupons from './coupons.svg';
import merchants from './merchants.svg';
import pages from './pages.svg';
import styles from './picture.module.css';

/** A drawing: its sheet, `app/_pictures/<sheet>.svg`, and its id there. */
export interface PictureName {
  sheet: 'coupons' | 'merchants' | 'categories' | 'pages';
  id: string;
}

const sheets: Record<PictureName['sheet'], { src: string }> = {
  coupons,
  merchants,
  categories: categorySheet,
  pages,
};

/**
 * Draws a picture that fills its container, which must be positioned. The drawing is a symbol of a static file, so it costs
 * no script, and it takes the colours of the current theme. The name next to it says what it shows, so screen readers skip it.
 */
export function Picture({ name: { sheet, id } }: { name: PictureName }) {
  return (
    <span className={styles.frame}>
      <svg className={styles.picture} aria-hidden="true" focusable="false">
        <use href={`${sheets[sheet].src}#${id}`} />
      </svg>
    </span>
  );
}

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

/** Part of a UUID, which coupons of operators have as their id. Those of the demo have a name, and a drawing each. */
const uuidPart = /[\da-f]{8}-/;

/** Returns the picture of a coupon: its own, else that of its merchant, else that of the category. */
export function pictureOfCoupon({
  id,
  merchantId,
  merchant,
}: Pick<Coupon, 'id' | 'merchantId'> & { merchant: Pick<Coupon['merchant'], 'category'> }): PictureName {
  // A drawing is the same in every round.
  if (!uuidPart.test(id)) return { sheet: 'coupons', id: id.replace(/-r\d+$/, '') };
  return pictureOfMerchant({ id: merchantId, category: merchant.category });
}

/** Returns the picture of a merchant: its own, else that of the category, else a market stall. */
export function pictureOfMerchant({ id, category }: Pick<Merchant, 'id' | 'category'>): PictureName {
  if (merchantIds.includes(id)) return { sheet: 'merchants', id };
  const [name = 'shop'] = categories.find(([, words]) => words.test(category)) ?? [];
  return { sheet: 'categories', id: name };
}
