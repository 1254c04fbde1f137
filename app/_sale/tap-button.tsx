'use client';

import { useTranslations } from 'next-intl';
import { Button } from '../_components/ui/button';
import type { Coupon } from '../_trpc/types';
import type { TapTally } from './tap-tally';
import { useTaps } from './use-taps';

interface Props {
  coupon: Pick<Coupon, 'id' | 'kind'>;
  /** The sale is not on, or a refusal is not over yet. */
  closed: boolean;
  onDone(tally: TapTally): void;
}

/** Enough to meet one's own limit, whatever is left of it. */
export const tapCount = 20;

/** Clicks many times at once, to meet one's own limit. */
export default function TapButton({ coupon, closed, onDone }: Props) {
  const t = useTranslations('taps');
  const { tap, answered } = useTaps(coupon, onDone);
  return (
    <Button size="large" closed={closed} busy={answered !== undefined} onClick={() => tap(tapCount)}>
      {t('tap', { count: answered === undefined ? tapCount : tapCount - answered })}
    </Button>
  );
}
