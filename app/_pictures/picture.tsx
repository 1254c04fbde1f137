import categories from './categories.svg';
import coupons from './coupons.svg';
import merchants from './merchants.svg';
import pages from './pages.svg';
import type { PictureName } from './picture-for';
import { SheetPicture } from './sheet-picture';

const sheets: Record<PictureName['sheet'], { src: string }> = { coupons, merchants, categories, pages };

/** Draws a picture of any sheet, as `SheetPicture`. */
export function Picture({ name: { sheet, id } }: { name: PictureName }) {
  return <SheetPicture sheet={sheets[sheet]} id={id} />;
}
