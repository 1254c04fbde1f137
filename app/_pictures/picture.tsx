import categories from './categories.svg';
import coupons from './coupons.svg';
import merchants from './merchants.svg';
import pages from './pages.svg';
import styles from './picture.module.css';
import type { PictureName } from './picture-for';

const sheets: Record<PictureName['sheet'], { src: string }> = { coupons, merchants, categories, pages };

/**
 * Draws a picture that fills its container, which must be positioned. The drawing is a symbol of a static file, so it costs no script, and it takes
 * the colours of the current theme. The name beside it says what it shows, so screen readers skip it.
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
