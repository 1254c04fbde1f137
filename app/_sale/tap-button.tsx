'use client';

import { useTranslations } from 'next-intl';
import { Button } from '../_components/ui/button';
import type { Coupon } from '../_trpc/types';
import type { TapTally } from './tap-tally';
import { useTaps } from './use-taps';

interface Props {
  coupon: Pick<Coupon, 'id' | 'kind'>;
  /** The sale is not open, or a refusal is still active. */
  closed: boolean;
  onDone(tally: TapTally): void;
}

/** Enough to exceed the visitor's own limit. */
export const TAP_COUNT = 20;

/** A button that clicks many times at once, to show the visitor's own limit. */
export default function TapButton({ coupon, closed, onDone }: Props) {
  const t = useTranslations('taps');
  const { tap, answered } = useTaps(coupon, onDone);
  return (
    <Button size="large" closed={closed} busy={answered !== undefined} onClick={() => tap(TAP_COUNT)}>
      {t('tap', { count: answered === undefined ? TAP_COUNT : TAP_COUNT - answered })}
    </Button>
  );
}
