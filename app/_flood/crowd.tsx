import { useMutation } from '@tanstack/react-query';
import { Users } from 'lucide-react';
import { useLocale, useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import type { PolicyLevel } from '../../server/http/page-requests';
import { ProblemNote } from '../_components/problem-note';
import { Progress } from '../_components/ui/bars';
import { Button } from '../_components/ui/button';
import layout from '../_components/ui/layout.module.css';
import { Notice } from '../_components/ui/status';
import { sentenceGap } from '../_i18n/language';
import { useDurations, usePeriod } from '../_i18n/use-durations';
import { retryAtOf, stopwatch } from '../_live/clock';
import { useLiveWindow } from '../_live/live-provider';
import { noMarks } from '../_live/refusal-marks';
import { useCountdown } from '../_live/use-now';
import { findOwnOrder } from '../_orders/order-state';
import { useOrders } from '../_orders/use-orders';
import { useTRPC } from '../_trpc/client';
import { problemOf } from '../_trpc/problem';
import type { CrowdReply } from '../_trpc/types';
import { usePolicyRefusal } from '../_window/refusals';
import { HOLD_FULL_MS, useWindowCount } from '../_window/use-window-count';

interface Crowd {
  /** `onSuccess`: called when all shoppers have arrived. */
  send(crowd: { couponId: string; shoppers: number; overMs: number }, options: { onSuccess(): void }): void;
  busy: boolean;
  /** The progress or the result of the last crowd; before the first, what a crowd is, and the limit of crowds. */
  note: ReactNode;
  /** Whole seconds until a refused crowd may be repeated; 0 if now. */
  retryInSeconds: number;
}

interface Options {
  /** The limit of crowds per address, if any. */
  limit: PolicyLevel | undefined;
  /** The shopper has not pressed yet, and the coupon is on sale. */
  canGrab: boolean;
}

/** Sends simulated shoppers to a coupon, which fills the global window. */
export function useCrowd({ limit, canGrab }: Options): Crowd {
  const t = useTranslations('crowd');
  const formatPeriod = usePeriod();
  const gap = sentenceGap(useLocale());
  const trpc = useTRPC();
  const [retryAt, setRetryAt] = useState<number>();
  const crowd = useMutation(
    trpc.demo.crowd.mutationOptions({
      onError(error) {
        const problem = problemOf(error);
        if (problem.kind === 'refused') setRetryAt(retryAtOf(problem.refusal));
      },
    }),
  );

  function note() {
    if (crowd.isPending) {
      return (
        <>
          <CrowdProgress {...crowd.variables} />
          {canGrab && <NowGrab {...crowd.variables} />}
        </>
      );
    }
    if (crowd.error) return <ProblemNote problem={problemOf(crowd.error)} here="/" />;
    if (!crowd.data) {
      return (
        <Notice>
          {t('lead')}
          {limit && gap + t('idle', { limit: limit.limit, window: formatPeriod(limit.windowMs) })}
        </Notice>
      );
    }
    const result = resultOf(crowd.data, crowd.variables.shoppers);
    return (
      <>
        <Notice tone={result.failed > 0 ? 'warning' : 'good'}>{t('result', result)}</Notice>
        {canGrab && <NowGrab {...crowd.variables} />}
      </>
    );
  }

  return {
    send: crowd.mutate,
    busy: crowd.isPending,
    note: note(),
    retryInSeconds: useCountdown({ clock: stopwatch, until: retryAt }),
  };
}

interface SendProps {
  crowd: Pick<Crowd, 'busy' | 'retryInSeconds'>;
  /** The size of the crowd. */
  shoppers: number;
  /** The coupon is on sale. */
  isOpen: boolean;
  onPress(): void;
}

/** The button that sends a crowd. Closed while its limit refuses. */
export function SendButton({ crowd: { busy, retryInSeconds }, shoppers, isOpen, onPress }: SendProps) {
  const t = useTranslations();
  const { wait } = useDurations();
  return (
    <Button variant="primary" busy={busy} closed={!isOpen || retryInSeconds > 0} onClick={onPress}>
      <Users size={18} aria-hidden="true" />
      {retryInSeconds > 0
        ? t('coupon.againIn', { time: wait(retryInSeconds) })
        : t('crowd.send', { shoppers })}
    </Button>
  );
}

/** Shows the progress of a crowd over the chosen time. All results arrive at the end. */
function CrowdProgress({ shoppers, overMs }: { shoppers: number; overMs: number }) {
  const t = useTranslations('crowd');
  const { length } = useDurations();
  const text = overMs === 0 ? t('sending', { shoppers }) : t('arriving', { shoppers, time: length(overMs) });
  return (
    <div className={layout.stack2}>
      <span className={layout.hint}>{text}</span>
      <Progress label={text} overMs={overMs} />
    </div>
  );
}

/** States when a press of Grab meets the full window: earlier presses get the coupon. */
function NowGrab({ couponId }: { couponId: string }) {
  const t = useTranslations('crowd');
  const window = useLiveWindow('coupon.seckill', 'global');
  const { free } = useWindowCount(window, { refused: noMarks, holdFullMs: HOLD_FULL_MS });
  const isRefused =
    useCountdown({ clock: stopwatch, until: usePolicyRefusal('coupon.seckill')?.retryAt }) > 0;
  const isOwn = findOwnOrder(useOrders().orders, couponId) !== undefined;
  return free !== undefined && !isRefused && !isOwn && <p className={layout.strong}>{t('nowGrab')}</p>;
}

/** Admitted shoppers who bought nothing found the coupon sold out or ended. */
function resultOf({ admitted, refused, outcomes }: CrowdReply, total: number) {
  const bought = outcomes.accepted ?? 0;
  return { total, refused, bought, late: admitted - bought, failed: total - admitted - refused };
}
