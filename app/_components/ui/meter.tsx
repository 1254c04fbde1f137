import { classNames } from './class-names';
import styles from './meter.module.css';

const tones = {
  water: styles.water,
  ember: styles.ember,
} as const;

interface Props {
  value: number;
  max: number;
  /** The ids of the labelling elements. */
  labelledBy: string;
  /** The value as text. */
  text: string;
  /** Default: `water`. */
  tone?: keyof typeof tones;
}

/** A gauge. Not the `meter` element, because browsers style its inside differently. */
export function Meter({ value, max, labelledBy, text, tone = 'water' }: Props) {
  const share = max > 0 ? Math.min(1, value / max) : 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div
      role="meter"
      className={classNames(styles.meter, tones[tone])}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
      aria-labelledby={labelledBy}
      aria-valuetext={text}
    >
      <div className={styles.fill} style={{ translate: `${(share - 1) * 100}%` }} />
    </div>
  );
}
