import styles from './meter.module.css';

interface Props {
  value: number;
  max: number;
  /** The ids of the labelling elements. */
  labelledBy: string;
  /** The value as text. */
  text: string;
}

/** A gauge. Not the `meter` element, because browsers style its inside differently. */
export function Meter({ value, max, labelledBy, text }: Props) {
  const share = max > 0 ? Math.min(1, value / max) : 0;
  const translate = `${(share - 1) * 100}%`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div
      role="meter"
      className={styles.meter}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
      aria-labelledby={labelledBy}
      aria-valuetext={text}
    >
      <div className={styles.lost} style={{ translate }} />
      <div className={styles.fill} style={{ translate }} />
    </div>
  );
}
