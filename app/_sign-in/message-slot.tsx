import type { ReactNode } from 'react';
import { classNames } from '../_components/ui/class-names';
import styles from './message-slot.module.css';

interface Props {
  /** For `aria-describedby` of the field above. */
  id: string;
  /** The success, such as that a code was sent. */
  note?: ReactNode;
  /** Removes the note, but keeps its space. */
  isNoteOver?: boolean;
  /** Replaces the note. */
  error: ReactNode;
}

/** Shows one message below the button of a field, in reserved space: nothing moves when an error replaces a note. */
export function MessageSlot({ id, note, isNoteOver = false, error }: Props) {
  return (
    <div id={id} className={styles.slot}>
      <div role="status" className={classNames((isNoteOver || Boolean(error)) && styles.over)}>
        {note}
      </div>
      <div role="status">{error}</div>
    </div>
  );
}

/** The error of a field. */
export function FieldError({ children }: { children: ReactNode }) {
  return <p className={styles.error}>{children}</p>;
}
