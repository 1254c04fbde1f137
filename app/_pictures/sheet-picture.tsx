import styles from './picture.module.css';

interface Props {
  /** The static file of the sheet. */
  sheet: { src: string };
  /** The drawing in the sheet. */
  id: string;
}

/**
 * Draws a picture that fills its container, which must be positioned. The drawing is a symbol of a static file, so it costs
 * no script, and it takes the colours of the current theme. The name next to it says what it shows, so screen readers skip it.
 */
export function SheetPicture({ sheet, id }: Props) {
  return (
    <span className={styles.frame}>
      <svg className={styles.picture} aria-hidden="true" focusable="false">
        <use href={`${sheet.src}#${id}`} />
      </svg>
    </span>
  );
}
