import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useFormatter, useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import { Button } from '../_components/ui/button';
import { Notice } from '../_components/ui/status';
import { usePeriod } from '../_i18n/use-durations';
import { stopwatch } from '../_live/clock';
import { useCountdown } from '../_live/use-now';
import { usePurchaseCalls } from '../_sale/use-purchase';
import { Why } from '../_sale/why';
import { newRequestId } from '../_shell/request-id';
import { useTRPC } from '../_trpc/client';
import { type Problem, problemOf } from '../_trpc/problem';
import type { Coupon, PurchaseReply, RefusalData } from '../_trpc/types';
import { recordRefusal, usePolicyRefusal, useRefusalStores } from '../_window/refusals';

/** The clicks of one burst: enough to exceed the visitor's own limit. */
const TAP_COUNT = 20;
/** The interval of the clicks: faster than a person, slower than a script. */
const TAP_INTERVAL_MS = 60;

/** The results of a burst of clicks. */
interface TapTally {
  total: number;
  /** Calls that the limits admitted, whatever their outcome. */
  admitted: number;
  /** Calls that a limit refused. */
  refused: number;
  /** Calls without a decision: no response, or an error. */
  failed: number;
  /** A click bought the coupon. */
  bought: boolean;
  /** The limits that refused, each once, the most frequent first. */
  levels: Pick<RefusalData, 'level' | 'algorithm' | 'limit' | 'windowMs'>[];
  /** The wait of the last refusal, null if an operator blocks the calls; `undefined` without one. */
  retryAfterMs: number | null | undefined;
}

interface Taps {
  /** Clicks a coupon `TAP_COUNT` times, each with its own request id. */
  tap(coupon: Pick<Coupon, 'id' | 'kind'>): void;
  /** The number of responses; `undefined` while not tapping. */
  responseCount: number | undefined;
  /** The results of the last burst. */
  note: ReactNode;
}

/** Clicks in quick succession, without waiting for the previous response. */
export function useTaps(): Taps {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { signIn, call } = usePurchaseCalls();
  const refusals = useRefusalStores();
  const [responseCount, setResponseCount] = useState(0);
  const [tally, setTally] = useState<TapTally>();

  const { mutate, isPending } = useMutation({
    async mutationFn({ id: couponId, kind }: Pick<Coupon, 'id' | 'kind'>) {
      setResponseCount(0);
      const user = await signIn();
      const results: TapResult[] = [];
      await Promise.all(
        Array.from({ length: TAP_COUNT }, async (_, index) => {
          await sleep(index * TAP_INTERVAL_MS);
          results.push(await settle(call({ kind, couponId, queue: false, requestId: newRequestId() }, user)));
          setResponseCount(results.length);
        }),
      );
      return tallyTaps(results);
    },
    onSuccess(counted, { kind }) {
      setTally(counted);
      const [level] = counted.levels;
      const { retryAfterMs, refused: count } = counted;
      if (level && retryAfterMs !== undefined) {
        recordRefusal({ ...level, policy: `coupon.${kind}`, retryAfterMs, count }, refusals);
      }
    },
    onError: (error) => setTally(tallyTaps([{ problem: problemOf(error) }])),
    onSettled: () => queryClient.invalidateQueries(trpc.limit.mine.queryFilter()),
  });

  return {
    tap: mutate,
    responseCount: isPending ? responseCount : undefined,
    note: tally && <TapsNote {...tally} />,
  };
}

interface TapProps extends Pick<Taps, 'responseCount'> {
  /** The coupon is on sale. */
  isOpen: boolean;
  onPress(): void;
}

/** A button that clicks many times at once, to show the visitor's own limit. Closed while that limit refuses. */
export function TapButton({ responseCount, isOpen, onPress }: TapProps) {
  const t = useTranslations('taps');
  const refusal = usePolicyRefusal('coupon.seckill');
  const isRefused = useCountdown({ clock: stopwatch, until: refusal?.retryAt }) > 0;
  return (
    <Button closed={!isOpen || isRefused} busy={responseCount !== undefined} onClick={onPress}>
      {t('tap', { count: TAP_COUNT - (responseCount ?? 0) })}
    </Button>
  );
}

/** Summarises a burst of clicks in one sentence. */
function TapsNote({ total, admitted, refused, failed, bought, levels }: TapTally) {
  const t = useTranslations('taps');
  const { list } = useFormatter();
  const formatPeriod = usePeriod();

  const formatLevel = ({ level, limit, windowMs }: TapTally['levels'][number]) =>
    level === 'user' || level === 'global' ? t(level, { limit, window: formatPeriod(windowMs) }) : level;
  return (
    <Notice tone={refused > 0 || failed > 0 ? 'warning' : 'good'}>
      {t('result', {
        total,
        admitted,
        refused,
        failed,
        bought: bought ? 'yes' : 'no',
        rules: list(levels.map(formatLevel)),
      })}
      {refused > 0 && <WhyRefused />}
    </Notice>
  );
}

/** Explains the refusal of the burst, which stays readable when its wait has ended. */
function WhyRefused() {
  const refusal = usePolicyRefusal('coupon.seckill');
  const leftSeconds = useCountdown({ clock: stopwatch, until: refusal?.retryAt });
  if (!refusal || refusal.isBlocked || refusal.bannedUntil !== undefined) return null;
  return <Why refusal={refusal} isOver={leftSeconds === 0} />;
}

async function settle(call: Promise<PurchaseReply>): Promise<TapResult> {
  try {
    return { reply: await call };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The result of one of many clicks. */
export type TapResult = { reply: PurchaseReply } | { problem: Problem };

/** Counts results in the order of their arrival. */
export function tallyTaps(results: TapResult[]): TapTally {
  const replies = results.flatMap((result) => ('reply' in result ? [result.reply] : []));
  const refusals = results.flatMap((result) =>
    'problem' in result && result.problem.kind === 'refused' ? [result.problem.refusal] : [],
  );
  return {
    total: results.length,
    admitted: replies.length,
    refused: refusals.length,
    failed: results.length - replies.length - refusals.length,
    bought: replies.some(({ outcome }) => outcome === 'accepted'),
    levels: listLevels(refusals),
    retryAfterMs: refusals.at(-1)?.retryAfterMs,
  };
}

function listLevels(refusals: RefusalData[]): RefusalData[] {
  const count = (level: string) => refusals.filter((refusal) => refusal.level === level).length;
  return refusals
    .filter(({ level }, index) => refusals.findIndex((other) => other.level === level) === index)
    .toSorted((a, b) => count(b.level) - count(a.level));
}
