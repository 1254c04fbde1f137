'use client';

import { usePathname } from 'next/navigation';
import { lazy, type ReactNode, Suspense, useId } from 'react';
import { Link } from '../_components/ui/link';
import styles from './nav-link.module.css';
import { useViewer } from './viewer-provider';

/** Loaded for signed-in visitors only. */
const WalletCount = lazy(() => import('../_orders/wallet-count'));

interface Props {
  href: string;
  /** The id of the element that names the link. Default: its content. */
  labelledBy?: string | undefined;
  children: ReactNode;
}

/** A navigation link, marked on its page and below it. */
export function NavLink({ href, labelledBy, children }: Props) {
  const path = usePathname();
  const isHere = href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`);
  return (
    <Link
      href={href}
      className={styles.link}
      aria-current={isHere ? 'page' : undefined}
      aria-labelledby={labelledBy}
    >
      {children}
    </Link>
  );
}

/** The link to the wallet, for a signed-in visitor with the number of coupons. */
export function WalletLink({ children }: Pick<Props, 'children'>) {
  const { user } = useViewer();
  const nameId = useId();
  return (
    <NavLink href="/wallet" labelledBy={user ? nameId : undefined}>
      {children}
      {user && (
        <Suspense>
          <WalletCount nameId={nameId} />
        </Suspense>
      )}
    </NavLink>
  );
}
