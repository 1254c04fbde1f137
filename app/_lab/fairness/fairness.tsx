import { Play } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { SelectField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { useDurations } from '../../_i18n/use-durations';
import { useTRPCClient } from '../../_trpc/client';
import { FormAndResults, Result, StartButton, useExperiment, useFirstRun } from '../experiment';
import styles from '../lab.module.css';
import { NumberField, useLabNumbers } from '../numbers';
import { Side, SideText } from '../two-sides';
import type { FairnessSide } from '../types';

const limit = 20;
const windowMs = 10_000;
const stocks = ['everyone', 'limited'] as const;
const groups = ['people', 'pollers'] as const;

/** Plays the same arrivals of people and pollers, with refusals only and with the queue. */
export default function Fairness() {
  const t = useTranslations('labFairness');
  const { length } = useDurations();
  const client = useTRPCClient();
  const [people, setPeople] = useState(90);
  const [pollers, setPollers] = useState(10);
  const [stock, setStock] = useState<(typeof stocks)[number]>('everyone');
  const experiment = useExperiment(
    { people, pollers, limit, windowMs, stock: stock === 'limited' ? limit : null },
    (input, signal) => client.lab.fairness.mutate(input, { signal }),
  );
  useFirstRun(experiment, false);
  const { refusals, queue } = experiment.data ?? {};
  const spanMs = Math.max(windowMs, refusals?.endsAt ?? 0, queue?.endsAt ?? 0);

  return (
    <FormAndResults
      form={
        <>
          <div className={styles.fields}>
            <SelectField
              label={t('stock')}
              value={stock}
              options={stocks.map((one) => ({ value: one, label: t(`stocks.${one}`, { limit }) }))}
              onChange={(value) => setStock(stocks.find((one) => one === value) ?? stock)}
            />
            <NumberField
              label={t('people')}
              value={people}
              bounds={{ min: 1, max: 500 }}
              onChange={setPeople}
            />
            <NumberField
              label={t('pollers')}
              value={pollers}
              bounds={{ min: 0, max: 100 }}
              onChange={setPollers}
            />
          </div>
          <StartButton
            experiment={experiment}
            variant="primary"
            icon={Play}
            label={t('start')}
            idle={t('idle', { limit, window: length(windowMs) })}
          />
        </>
      }
    >
      <div className={layout.stack3}>
        <Result isEarlier={experiment.isEarlier}>
          <div className={styles.sides}>
            <FairnessSideView name="refusals" side={refusals} spanMs={spanMs} />
            <FairnessSideView name="queue" side={queue} spanMs={spanMs} />
          </div>
        </Result>
        {/* Its line is reserved. */}
        <p role="status" className={styles.reasonLine}>
          {refusals && queue && queue.calls > refusals.calls && t('moreCalls')}
        </p>
        <SideText>{t('limits')}</SideText>
      </div>
    </FormAndResults>
  );
}

interface Props {
  name: 'refusals' | 'queue';
  /** `undefined` before the first run. */
  side: FairnessSide | undefined;
  spanMs: number;
}

/** One way of waiting: when the people and the pollers were admitted. */
function FairnessSideView({ name, side, spanMs }: Props) {
  const t = useTranslations('labFairness');
  const { count, tick, time } = useLabNumbers();
  const meanWaits = groups.map((group) => {
    const waitMs = side?.[group].meanWaitMs;
    return { name: t(`meanWait.${group}`), value: typeof waitMs === 'number' ? time(waitMs) : '–' };
  });

  return (
    <Side
      title={t(`${name}.title`)}
      about={t(`${name}.about`)}
      lanes={groups.map((group) => ({
        name: t(group),
        tally: side
          ? t('tally', { admitted: side[group].admittedAt.length, count: side[group].count })
          : t('notRun'),
        above: side?.[group].admittedAt ?? [],
      }))}
      spanMs={spanMs}
      windowMs={windowMs}
      hint={t('bars', { end: tick(spanMs) })}
      facts={[...meanWaits, { name: t('calls'), value: side ? count(side.calls) : '–' }]}
    />
  );
}
