'use client';

import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from './button';
import { classNames } from './class-names';
import styles from './frames.module.css';
import layout from './layout.module.css';

interface Props {
  title: ReactNode;
  isOpen: boolean;
  /** Called after the dialog closed, by Escape or by `isOpen`. The focus returns to the element that had it before. */
  onClose(): void;
  /** Room for a form next to its preview. Default: the width of a short text. */
  wide?: boolean;
  /** Covers the screen of a phone. Default: a card in its middle. */
  fullScreen?: boolean;
  children: ReactNode;
}

/** A modal dialog. An element with `data-first-focus` gets the focus when it opens; else its first control. */
export function Dialog({ title, isOpen, onClose, wide, fullScreen, children }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);

  useEffect(() => {
    if (!isOpen) return dialog.current?.close();
    dialog.current?.showModal();
    // React does not render `autofocus`, which showModal() would follow.
    dialog.current?.querySelector<HTMLElement>('[data-first-focus]')?.focus();
  }, [isOpen]);

  return (
    <dialog
      ref={dialog}
      className={classNames(styles.dialog, wide && styles.wide, fullScreen && styles.fullScreen)}
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

interface ConfirmProps {
  title: string;
  isOpen: boolean;
  /** The text of the button that confirms. */
  confirm: string;
  /** The text of the button that changes nothing. */
  cancel: string;
  isBusy: boolean;
  onConfirm(): void;
  onClose(): void;
  children: ReactNode;
}

/** Confirms an action. The safe choice comes first and has the focus, so that a second Enter changes nothing. */
export function ConfirmDialog(props: ConfirmProps) {
  const { title, isOpen, confirm, cancel, isBusy, onConfirm, onClose, children } = props;
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      {children}
      <div className={layout.row2}>
        <Button data-first-focus="" onClick={onClose}>
          {cancel}
        </Button>
        <Button variant="danger" busy={isBusy} onClick={onConfirm}>
          {confirm}
        </Button>
      </div>
    </Dialog>
  );
}
