import { Play } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useDurations } from '../../_i18n/use-durations';
import { useTRPCClient } from '../../_trpc/client';
import { CallStatus } from '../call-status';
import { KeyList } from '../key-list';
import type { MistakeName, MistakeSide } from '../types';
import { useLimitedCall } from '../use-limited-call';
import { MistakeDetails } from './mistake-details';
import { MistakeFrame } from './mistake-frame';
import { MistakeLane } from './mistake-lane';
import { Side } from './side';
import { useFigures } from './use-figures';

/** A mistake and the product under the same calls, on the lab's clock. */
export function MistakeCard({ name }: { name: MistakeName }) {
  const t = useTranslations('lab');
  const { length } = useDurations();
  const { createMistakeFigure } = useFigures();
  const client = useTRPCClient();
  const call = useLimitedCall((_: null, signal) => client.lab.mistake.mutate({ mistake: name }, { signal }));
  const mistake = call.data;
  const spanMs = mistake ? getSpanMs([mistake.naive, mistake.product], mistake.windowMs) : 1;
  const side = (which: 'naive' | 'product', title: string) => {
    const one = mistake?.[which];
    return (
      <Side
        title={title}
        figure={mistake && createMistakeFigure(mistake, which)}
        facts={[
          { name: t('side.admitted'), value: one ? t('side.calls', { count: one.admitted }) : '–' },
          { name: t('side.refused'), value: one ? t('side.calls', { count: one.refused }) : '–' },
          { name: t('side.roundTrips'), value: one?.roundTrips ?? '–' },
        ]}
      >
        <MistakeLane
          side={one}
          spanMs={spanMs}
          windowMs={mistake?.windowMs ?? 1}
          limit={mistake?.limit ?? 0}
        />
      </Side>
    );
  };

  return (
    <MistakeFrame
      title={t(`mistake.${name}.title`)}
      why={t(`mistake.${name}.why`)}
      start={
        <CallStatus
          call={call}
          label={
            <>
              <Play size={18} aria-hidden="true" />
              {t('mistake.start')}
            </>
          }
          onStart={() => call.start(null)}
          idle={
            mistake
              ? t('mistake.rule', { limit: mistake.limit, window: length(mistake.windowMs) })
              : t('mistake.idle')
          }
        />
      }
      sides={
        <>
          {side('naive', t(`mistake.${name}.naive`))}
          {side('product', t('mistake.product'))}
        </>
      }
    >
      {mistake && (
        <>
          <MistakeDetails mistake={mistake} />
          <KeyList
            groups={[
              { name: t('mistake.keysOf.naive'), keys: mistake.naive.keys },
              { name: t('mistake.keysOf.product'), keys: mistake.product.keys },
            ]}
          />
        </>
      )}
    </MistakeFrame>
  );
}

function getSpanMs(sides: readonly MistakeSide[], windowMs: number): number {
  const ends = sides.map(({ decisions }) => decisions.at(-1)?.at ?? 0);
  return Math.max(...ends) + Math.round(windowMs / 10);
}
