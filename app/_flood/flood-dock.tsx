'use client';

import { ChevronUp, X } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import type { PolicyLevel } from '../../server/http/page-requests';
import { Button } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { watchOtherButtons } from '../_sale/watch-board';
import { DemoUsers } from '../_shell/user-menu';
import type { Coupon } from '../_trpc/types';
import { HowCounting } from '../_window/live-limits';
import styles from './flood.module.css';
import { FloodControls, isPhone } from './flood-controls';

interface Props {
  isOpen: boolean;
  onClose(): void;
  /** The coupons that can be flooded, the featured one first. */
  coupons: Coupon[];
  /** The limit of an address's crowds. Absent: not enforced. */
  crowdLimit: PolicyLevel | undefined;
  serverNow: number;
}

/**
 * The demo's tools at the bottom of the screen: crowds, taps and users. Not modal, so that the
 * coupon and the meters above stay in use. On a phone, it shrinks to its result when the shopper presses a button of a coupon
 * or the crowd has arrived, so that it hides no refusal. Escape closes it, and the focus returns to the button that opened it.
 */
export default function FloodDock({ isOpen, onClose, coupons, crowdLimit, serverNow }: Props) {
  const t = useTranslations('crowd');
  const id = useId();
  const dock = useRef<HTMLDialogElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const [featured, ...others] = coupons;
  const [isSmall, setSmall] = useState(false);
  const [hasPressed, setPressed] = useState(false);
  useBarHeight(dock, isOpen);

  function shrink(): void {
    if (!isPhone()) return;
    setSmall(true);
    // The controls are hidden.
    if (dock.current?.contains(document.activeElement)) title.current?.focus();
  }

  useEffect(() => {
    const sheet = dock.current;
    const list = sheet?.parentElement;
    // Another list of coupons has other buttons.
    if (!isOpen || !sheet || !list || coupons.length === 0) return;
    let stop: (() => void) | undefined;
    const sizes = new ResizeObserver(() => {
      stop?.();
      stop = watchOtherButtons(list, sheet.offsetHeight);
    });
    sizes.observe(sheet);
    return () => {
      sizes.disconnect();
      stop?.();
    };
  }, [isOpen, coupons]);

  useEffect(() => {
    if (!isOpen) return;
    function onClick({ target }: MouseEvent): void {
      if (!(target instanceof Element) || !target.closest('[data-bar] button')) return;
      setPressed(true);
      if (isPhone()) setSmall(true);
    }
    document.addEventListener('click', onClick);
    return () => document.removeEventListener('click', onClick);
  }, [isOpen]);

  useEffect(() => {
    if (!isOpen) return dock.current?.close();
    setSmall(false);
    dock.current?.show();
    title.current?.focus();
  }, [isOpen]);

  useEffect(() => {
    if (!isOpen) return;
    function onKeyDown({ key, defaultPrevented }: KeyboardEvent): void {
      // An expanded part, an open menu or a dialog takes the key.
      if (key === 'Escape' && !defaultPrevented && !document.querySelector(':popover-open, :modal'))
        onClose();
    }
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isOpen, onClose]);

  return (
    <dialog ref={dock} className={classNames(styles.dock, isSmall && styles.small)} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 ref={title} id={id} className={classNames(layout.title, styles.title)} tabIndex={-1}>
          {t('title')}
        </h2>
        {isSmall && (
          <Button
            variant="quiet"
            className={styles.close}
            aria-label={t('expand')}
            onClick={() => setSmall(false)}
          >
            <ChevronUp size={20} aria-hidden="true" />
          </Button>
        )}
        <Button variant="quiet" className={styles.close} aria-label={t('close')} onClick={onClose}>
          <X size={20} aria-hidden="true" />
        </Button>
      </div>
      <div className={styles.body}>
        {featured ? (
          <FloodControls
            coupons={[featured, ...others]}
            {...{ crowdLimit, serverNow, hasPressed }}
            onSend={() => setPressed(false)}
            onArrived={shrink}
          />
        ) : (
          <p className={layout.hint}>{t('none')}</p>
        )}
        <section className={classNames(layout.stack2, layout.whole)} aria-label={t('users')}>
          <h3 className={classNames(layout.hint, styles.label)}>{t('users')}</h3>
          <DemoUsers />
        </section>
        <div className={classNames(layout.hint, layout.whole, styles.details)}>
          <HowCounting />
        </div>
      </div>
    </dialog>
  );
}

/** Sets `--bar` on an element to the height of the bar that covers the bottom of a phone's screen, while active. */
function useBarHeight(element: RefObject<HTMLElement | null>, isActive: boolean): void {
  useEffect(() => {
    const bar = document.querySelector('[data-bar="true"]');
    if (!isActive || !bar) return;
    function place(covering: Element): void {
      const isFixed = getComputedStyle(covering).position === 'fixed';
      const { height } = covering.getBoundingClientRect();
      element.current?.style.setProperty('--bar', isFixed ? `${height}px` : '0px');
    }
    // Before the element is shown, so that it does not move.
    place(bar);
    const observer = new ResizeObserver(() => place(bar));
    observer.observe(bar);
    return () => observer.disconnect();
  }, [element, isActive]);
}
