'use client';

import { useTranslations } from 'next-intl';
import { Link } from '../_components/ui/link';
import { useLiveStatus, useLiveWindow } from '../_live/live-windows';
import { useTRPC } from '../_trpc/client';
import { useQuery } from '../_trpc/query';
import { OwnMeter, SharedMeter } from './level-meters';
import styles from './single-meter.module.css';

interface Props {
  policy: string;
  /** Default: the widest level available. */
  level?: string | undefined;
}

/** Widest first. */
const levels = ['global', 'ip', 'user'];

/** Shows one window of a policy: the global one, or one that counts the visitor. */
export default function SingleMeter({ policy, level }: Props) {
  const t = useTranslations('windows');
  const trpc = useTRPC();
  const hasShared = useLiveWindow(policy, 'global') !== undefined;
  const status = useLiveStatus();
  const { data, isPending } = useQuery(trpc.limit.mine.queryOptions());
  const own = data?.windows.filter((window) => window.policy === policy).map((window) => window.level) ?? [];
  const shown = [...(hasShared ? ['global'] : []), ...own].filter((one) => (level ?? one) === one);
  const widest = levels.find((one) => shown.includes(one));

  if (widest) {
    return (
      <>
        <h1 className={styles.policy}>{policy}</h1>
        {widest === 'global' ? <SharedMeter policy={policy} /> : <OwnMeter policy={policy} level={widest} />}
      </>
    );
  }
  if (status === 'connecting' || isPending) return null;
  return (
    <p className={styles.unknown}>
      {t.rich('noSuch', {
        policy: level === undefined ? policy : `${policy}:${level}`,
        sale: (text) => <Link href="/?embed=coupon.seckill">{text}</Link>,
      })}
    </p>
  );
}
