'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { Badge } from '../_components/ui/status';
import { useOpsFeed } from './live/ops-feed-provider';
import styles from './ops.module.css';

const sections = [
  { name: 'now', href: '/ops' },
  { name: 'limits', href: '/ops/limits' },
  { name: 'users', href: '/ops/who' },
  { name: 'alerts', href: '/ops/alerts' },
  { name: 'sales', href: '/ops/sales' },
] as const;

/** Links the sections of the ops pages. Shows the numbers of blocked callers and of active alerts. */
export function Sections({ label }: { label: string }) {
  const t = useTranslations('ops');
  const path = usePathname();
  const word = (text: ReactNode) => <span className={styles.word}>{text}</span>;
  const blocked = useOpsFeed(({ event }) => event?.bans ?? 0);
  const firing = useOpsFeed(({ event }) => event?.alerts.active.length ?? 0);
  return (
    <nav className={styles.sections} aria-label={label}>
      {sections.map(({ name, href }) => (
        <Link
          prefetch={false}
          key={name}
          href={href}
          className={styles.section}
          aria-current={path === href ? 'page' : undefined}
        >
          {t(`section.${name}`)}
          {name === 'users' && blocked > 0 && <Badge>{t.rich('blocked', { count: blocked, word })}</Badge>}
          {name === 'alerts' && firing > 0 && (
            <Badge tone="fail">{t.rich('firing', { count: firing, word })}</Badge>
          )}
        </Link>
      ))}
    </nav>
  );
}
