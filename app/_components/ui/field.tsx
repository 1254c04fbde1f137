import { type ComponentProps, useId } from 'react';
import { classNames } from './class-names';
import styles from './controls.module.css';
import layout from './layout.module.css';

interface TextProps extends ComponentProps<'input'> {
  label: string;
  /** A hint below the field. */
  hint?: string;
  /** The error; empty without one. Absent: the field never has an error. */
  error?: string;
}

/** A labelled text input with its error below. */
export function TextField({ label, hint, error, className, ...rest }: TextProps) {
  const id = useId();
  const described = classNames(hint && `${id}-hint`, error && `${id}-error`);
  return (
    <div>
      <label className={styles.field}>
        <span className={classNames(layout.hint, styles.label)}>{label}</span>
        <input
          className={classNames(styles.control, className)}
          aria-invalid={error ? true : undefined}
          aria-describedby={described || undefined}
          {...rest}
        />
      </label>
      {hint && (
        <p id={`${id}-hint`} className={classNames(layout.hint, styles.hint)}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className={classNames(layout.failed, layout.small, styles.error)} role="status">
          {error}
        </p>
      )}
    </div>
  );
}

interface SelectProps {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange(value: string): void;
}

/** A labelled select. */
export function SelectField({ label, value, options, onChange }: SelectProps) {
  return (
    <label className={styles.field}>
      <span className={classNames(layout.hint, styles.label)}>{label}</span>
      <select className={styles.control} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ChoiceProps<Value extends string | number> {
  legend: string;
  name: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange(value: Value): void;
}

/** Radio buttons in the form of one strip. */
export function Choice<Value extends string | number>(props: ChoiceProps<Value>) {
  const { legend, name, value, options, onChange } = props;
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
            <span className={styles.optionLabel}>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
