'use client';

import { Users } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { PolicyLevel } from '../../server/http/page-requests';
import { ProblemNote } from '../_components/problem-note';
import { Button } from '../_components/ui/button';
import { Choice } from '../_components/ui/choice';
import { SelectField } from '../_components/ui/field';
import layout from '../_components/ui/layout.module.css';
import { Notice } from '../_components/ui/notice';
import { Panel } from '../_components/ui/panel';
import { Progress } from '../_components/ui/progress';
import { useDurations } from '../_i18n/use-durations';
import { stopwatch } from '../_live/clock';
import { useCountdown } from '../_live/use-now';
import { useTRPC } from '../_trpc/client';
import { problemOf } from '../_trpc/problem';
import type { Coupon, CrowdReply } from '../_trpc/types';
import { useMutation } from '../_trpc/use-mutation';
import styles from './crowd-panel.module.css';

const sizes = [50, 150, 300] as const;
const spreadsMs = [0, 3_000, 10_000] as const;

interface Props {
  coupons: Coupon[];
  /** The limit of an address. Absent: not enforced. */
  limit: PolicyLevel | undefined;
}

/** A form that sends simulated shoppers to a coupon, which fills the global window. */
export default function CrowdPanel({ coupons, limit }: Props) {
  const t = useTranslations('crowd');
  const tCoupon = useTranslations('coupon');
  const { length, wait } = useDurations();
  const [chosen, setChosen] = useState<string>();
  const [shoppers, setShoppers] = useState<number>(150);
  const [overMs, setOverMs] = useState<number>(3_000);
  const { send, busy, note, retryInSeconds } = useCrowd(limit);
  const open = coupons.filter(({ state }) => state === 'live' || state === 'paused');
  const target = open.find(({ id }) => id === chosen) ?? findLargestStock(open);

  if (!target) {
    return (
      <Panel>
        <h2 className={layout.title}>{t('title')}</h2>
        <p className={layout.lead}>{t('none')}</p>
      </Panel>
    );
  }

  return (
    <Panel>
      <div>
        <h2 className={layout.title}>{t('title')}</h2>
        <p className={layout.lead}>{t('lead')}</p>
      </div>
      <div className={styles.fields}>
        <SelectField
          label={t('coupon')}
          value={target.id}
          options={open.map(({ id, title, stock }) => ({
            value: id,
            label: stock ? t('option', { title, remaining: stock.remaining }) : title,
          }))}
          onChange={setChosen}
        />
        <Choice<number>
          legend={t('shoppers')}
          name="shoppers"
          value={shoppers}
          options={sizes.map((size) => ({ value: size, label: String(size) }))}
          onChange={setShoppers}
        />
        <Choice<number>
          legend={t('over')}
          name="over"
          value={overMs}
          options={spreadsMs.map((ms) => ({
            value: ms,
            label: ms === 0 ? t('atOnce') : t('within', { time: length(ms) }),
          }))}
          onChange={setOverMs}
        />
      </div>
      <div className={styles.send}>
        <Button
          busy={busy}
          closed={retryInSeconds > 0}
          onClick={() => send({ couponId: target.id, shoppers, overMs })}
        >
          <Users size={18} aria-hidden="true" />
          {retryInSeconds > 0 ? tCoupon('againIn', { time: wait(retryInSeconds) }) : t('send')}
        </Button>
        <div className={styles.note} role="status">
          {note}
        </div>
      </div>
    </Panel>
  );
}

function useCrowd(limit: PolicyLevel | undefined) {
  const t = useTranslations('crowd');
  const { length } = useDurations();
  const trpc = useTRPC();
  const [retryAt, setRetryAt] = useState<number>();
  const crowd = useMutation(
    trpc.demo.crowd.mutationOptions({
      onError(error) {
        const problem = problemOf(error);
        if (problem.kind === 'refused') setRetryAt(stopwatch.now() + problem.refusal.retryAfterMs);
      },
    }),
  );

  function note() {
    if (crowd.isPending) return <CrowdProgress {...crowd.variables} />;
    if (crowd.error) return <ProblemNote problem={problemOf(crowd.error)} here="/" />;
    if (!crowd.data) {
      return limit && <Notice>{t('idle', { limit: limit.limit, window: length(limit.windowMs) })}</Notice>;
    }
    return <Notice tone="good">{t('result', resultOf(crowd.data, crowd.variables.shoppers))}</Notice>;
  }

  return {
    send: crowd.mutate,
    busy: crowd.isPending,
    note: note(),
    retryInSeconds: useCountdown({ clock: stopwatch, until: retryAt }),
  };
}

/** Shows the progress of a crowd over the chosen time. All results arrive at the end. */
function CrowdProgress({ shoppers, overMs }: { shoppers: number; overMs: number }) {
  const t = useTranslations('crowd');
  const { length } = useDurations();
  const text = overMs === 0 ? t('sending', { shoppers }) : t('arriving', { shoppers, time: length(overMs) });
  return (
    <div className={styles.progress}>
      <span>{text}</span>
      <Progress label={text} overMs={overMs} />
    </div>
  );
}

function resultOf({ admitted, refused, outcomes }: CrowdReply, total: number) {
  return { total, admitted, refused, bought: outcomes.accepted ?? 0, failed: total - admitted - refused };
}

/** Returns the coupon with the most stock, so that a crowd leaves some for the visitor. */
function findLargestStock(coupons: Coupon[]): Coupon | undefined {
  const remaining = ({ stock }: Coupon) => stock?.remaining ?? 0;
  return coupons.toSorted((a, b) => remaining(b) - remaining(a))[0];
}
