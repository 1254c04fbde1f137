'use client';

import { type ReactNode, useEffect, useId, useRef } from 'react';
import styles from './dialog.module.css';

interface Props {
  title: string;
  isOpen: boolean;
  /** It has been closed, by a button of its own or by Escape. Whatever had the focus before has it again. */
  onClose(): void;
  children: ReactNode;
}

/** Something that has to be settled before the page goes on. */
export function Dialog({ title, isOpen, onClose, children }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);

  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);

  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={id}
      // React lets the event of a dialog within this one bubble.
      onClose={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      <div className={styles.inside}>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        {isOpen && children}
      </div>
    </dialog>
  );
}
