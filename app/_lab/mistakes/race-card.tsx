import { Flag } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useTRPCClient } from '../../_trpc/client';
import { KeyList } from '../key-list';
import { CallStatus, useLimitedCall } from '../limited-call';
import type { Race, RaceInput } from '../types';
import { MistakeFrame, Side, useFigures } from './mistake-frame';

const load = { limit: 10, windowMs: 10_000, concurrency: 200 } as const;

/** Concurrent calls to a version with a race condition and to the product. */
export function RaceCard({ variant }: { variant: Exclude<RaceInput['variant'], 'product'> }) {
  const t = useTranslations('lab');
  const { createWindowFigure } = useFigures();
  const client = useTRPCClient();
  const call = useLimitedCall(async (_: null, signal) => {
    const naive = await client.lab.race.mutate({ ...load, variant }, { signal });
    const product = await client.lab.race.mutate({ ...load, variant: 'product' }, { signal });
    return { naive, product };
  });
  const { naive, product } = call.data ?? {};
  const side = (race: Race | undefined, title: string) => (
    <Side
      title={title}
      figure={race && createWindowFigure(race.admitted, { limit: load.limit, max: naive?.admitted ?? 0 })}
      facts={[
        { name: t('side.refused'), value: race ? t('side.calls', { count: race.refused }) : '–' },
        { name: t('side.logged'), value: race ? t('side.hits', { count: race.logged }) : '–' },
        { name: t('side.roundTrips'), value: race?.roundTrips ?? '–' },
      ]}
    />
  );

  return (
    <MistakeFrame
      title={t(`mistake.${variant}.title`)}
      why={t(`mistake.${variant}.why`)}
      start={
        <CallStatus
          call={call}
          label={
            <>
              <Flag size={18} aria-hidden="true" />
              {t('mistake.race')}
            </>
          }
          onStart={() => call.start(null)}
          idle={t('mistake.raceLoad', load)}
        />
      }
      sides={
        <>
          {side(naive, t(`mistake.${variant}.naive`))}
          {side(product, t('mistake.product'))}
        </>
      }
    >
      {naive && product && (
        <KeyList
          groups={[
            { name: t('mistake.keysOf.naive'), keys: naive.keys },
            { name: t('mistake.keysOf.product'), keys: product.keys },
          ]}
        />
      )}
    </MistakeFrame>
  );
}
