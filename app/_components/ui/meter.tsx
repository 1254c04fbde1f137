import { classNames } from './class-names';
import styles from './meter.module.css';

const tones = {
  water: styles.water,
  ember: styles.ember,
} as const;

interface Props {
  value: number;
  max: number;
  /** The ids of the elements that name it. */
  labelledBy: string;
  /** The value in words. */
  text: string;
  tone?: keyof typeof tones;
}

/** How much of something is taken: the browser's own meter, so that no style is written into the page. */
export function Meter({ value, max, labelledBy, text, tone = 'water' }: Props) {
  return (
    <meter
      className={classNames(styles.meter, tones[tone])}
      min={0}
      max={max}
      value={Math.min(value, max)}
      aria-labelledby={labelledBy}
      aria-valuetext={text}
    >
      {text}
    </meter>
  );
}
