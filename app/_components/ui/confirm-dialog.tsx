import type { ReactNode } from 'react';
import { Button } from './button';
import { Dialog } from './dialog';
import layout from './layout.module.css';

interface Props {
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
export function ConfirmDialog({
  title,
  isOpen,
  confirm,
  cancel,
  isBusy,
  onConfirm,
  onClose,
  children,
}: Props) {
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
