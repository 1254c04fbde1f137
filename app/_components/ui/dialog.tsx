'use client';

import { type ReactNode, useEffect, useId, useRef } from 'react';
import { classNames } from './class-names';
import styles from './dialog.module.css';
import layout from './layout.module.css';

interface Props {
  title: string;
  isOpen: boolean;
  /** Called after the dialog closed, by Escape or by `isOpen`. The focus returns to the element that had it before. */
  onClose(): void;
  children: ReactNode;
}

/** A modal dialog. */
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
      // In React, the event of a nested dialog bubbles to this one.
      onClose={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      <div className={classNames(layout.stack4, styles.inside)}>
        <h2 id={id} className={layout.title}>
          {title}
        </h2>
        {isOpen && children}
      </div>
    </dialog>
  );
}
