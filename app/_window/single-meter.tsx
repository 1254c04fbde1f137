import Link from 'next/link';
import { useTranslations } from 'next-intl';
import { useLiveStatus, useLiveWindow } from '../_live/live-provider';
import { OwnMeter, SharedMeter } from './level-meters';
import { ReloadOwnWindows, useOwnWindows } from './own-windows';
import styles from './window.module.css';

interface Props {
  policy: string;
  /** Default: the widest level available. */
  level?: string | undefined;
}

/** Widest first. */
const levels = ['global', 'ip', 'user'];

/** Shows one window of a policy: the global one, or one that counts the visitor. */
export function SingleMeter({ policy, level }: Props) {
  const t = useTranslations('windows');
  const hasShared = useLiveWindow(policy, 'global') !== undefined;
  const status = useLiveStatus();
  const own = useOwnWindows();
  const ownLevels = own.windows.filter((window) => window.policy === policy).map((window) => window.level);
  const shown = [...(hasShared ? ['global'] : []), ...ownLevels].filter((one) => (level ?? one) === one);
  const widest = levels.find((one) => shown.includes(one));

  if (widest) {
    return (
      <>
        <h1 className={styles.wallPolicy}>{policy}</h1>
        <ReloadOwnWindows />
        {widest === 'global' ? <SharedMeter policy={policy} /> : <OwnMeter policy={policy} level={widest} />}
      </>
    );
  }
  if (status === 'connecting' || own.isPending) return null;
  return (
    <p className={styles.wallUnknown}>
      {t.rich('noSuch', {
        policy: level === undefined ? policy : `${policy}:${level}`,
        sale: (text) => (
          <Link prefetch={false} href="/?embed=coupon.seckill">
            {text}
          </Link>
        ),
      })}
    </p>
  );
}
