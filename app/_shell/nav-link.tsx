'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { type ComponentProps, useId } from 'react';
import { WalletCount } from '../_orders/wallet-count';
import { useViewer } from '../_viewer/viewer-provider';
import styles from './nav-link.module.css';

interface Props extends Pick<ComponentProps<'a'>, 'aria-labelledby' | 'children'> {
  href: string;
}

/** A navigation link, marked on its page and below it. */
export function NavLink({ href, ...rest }: Props) {
  const isHere = `${usePathname()}/`.startsWith(`${href}/`);
  return (
    <Link
      prefetch={false}
      href={href}
      className={styles.link}
      aria-current={isHere ? 'page' : undefined}
      {...rest}
    />
  );
}

/** The link to the wallet, for a signed-in visitor with the number of coupons. */
export function WalletLink({ children }: Pick<Props, 'children'>) {
  const { user } = useViewer();
  const nameId = useId();
  return (
    <NavLink href="/wallet" aria-labelledby={user ? nameId : undefined}>
      {children}
      {user && <WalletCount nameId={nameId} />}
    </NavLink>
  );
}
