'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useTranslations } from 'next-intl';
import { useLiveStatus, useLiveWindow } from '../_live/live-provider';
import { useTRPC } from '../_trpc/client';
import styles from './lone-meter.module.css';
import { OwnMeter } from './own-meter';
import { SharedMeter } from './shared-meter';

/** The widest window of a policy: everybody's where it has one, else the visitor's own. */
export default function LoneMeter({ policy }: { policy: string }) {
  const t = useTranslations('windows');
  const trpc = useTRPC();
  const isShared = useLiveWindow(policy, 'global') !== undefined;
  const status = useLiveStatus();
  const { data, isPending } = useQuery(trpc.limit.mine.queryOptions());
  const isOwn = data?.windows.some((window) => window.policy === policy && window.level === 'user');

  if (isShared || isOwn) {
    return (
      <>
        <h1 className={styles.policy}>{policy}</h1>
        {isShared ? <SharedMeter policy={policy} /> : <OwnMeter policy={policy} />}
      </>
    );
  }
  if (status === 'connecting' || isPending) return null;
  return (
    <p className={styles.unknown}>
      {t.rich('noSuch', { policy, sale: (text) => <Link href="/?embed=coupon.seckill">{text}</Link> })}
    </p>
  );
}
