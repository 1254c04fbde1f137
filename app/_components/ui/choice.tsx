import styles from './choice.module.css';
import layout from './layout.module.css';

interface Props<Value extends string | number> {
  legend: string;
  name: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange(value: Value): void;
}

/** Radio buttons in the form of one strip. */
export function Choice<Value extends string | number>({
  legend,
  name,
  value,
  options,
  onChange,
}: Props<Value>) {
  return (
    <fieldset>
      <legend className={layout.legend}>{legend}</legend>
      <div className={styles.strip}>
        {options.map((option) => (
          <label key={option.value} className={styles.option}>
            <input
              type="radio"
              className={layout.radio}
              name={name}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span className={styles.label}>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
