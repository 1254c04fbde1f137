'use client';

import { Play } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { useId, useState } from 'react';
import { SelectField } from '../../_components/ui/field';
import layout from '../../_components/ui/layout.module.css';
import { Panel } from '../../_components/ui/page-parts';
import { useDurations } from '../../_i18n/use-durations';
import { useTRPCClient } from '../../_trpc/client';
import { EarlierResult } from '../earlier-result';
import { LaneMarks } from '../lanes/lane-marks';
import { CallStatus, useLimitedCall } from '../limited-call';
import { NumberField } from '../number-field';
import styles from '../two-sides.module.css';
import type { Fairness, FairnessInput, FairnessSide } from '../types';
import { useLabNumbers } from '../use-lab-numbers';

const limit = 20;
const windowMs = 10_000;
const stocks = ['everyone', 'limited'] as const;
const groups = ['people', 'pollers'] as const;

/** Plays the same arrivals of people and pollers, with refusals only and with the queue. */
export default function FairnessPlay() {
  const t = useTranslations('labFairness');
  const { length } = useDurations();
  const client = useTRPCClient();
  const [people, setPeople] = useState(90);
  const [pollers, setPollers] = useState(10);
  const [stock, setStock] = useState<(typeof stocks)[number]>('everyone');
  const call = useLimitedCall((input: FairnessInput, signal) =>
    client.lab.fairness.mutate(input, { signal }),
  );
  const { refusals, queue } = call.data ?? {};
  const input = { people, pollers, limit, windowMs, stock: stock === 'limited' ? limit : null };
  const isEarlier =
    call.data !== undefined &&
    (call.wasCancelled || JSON.stringify(call.dataInput) !== JSON.stringify(input));
  const spanMs = Math.max(windowMs, refusals?.endsAt ?? 0, queue?.endsAt ?? 0);

  return (
    <div className={styles.play}>
      <Panel>
        <div className={styles.fields}>
          <SelectField
            label={t('stock')}
            value={stock}
            options={stocks.map((one) => ({ value: one, label: t(`stocks.${one}`, { limit }) }))}
            onChange={(value) => {
              setStock(stocks.find((one) => one === value) ?? stock);
              call.reset();
            }}
          />
          <NumberField
            label={t('people')}
            value={people}
            bounds={{ min: 1, max: 500 }}
            onChange={(count) => {
              setPeople(count);
              call.reset();
            }}
          />
          <NumberField
            label={t('pollers')}
            value={pollers}
            bounds={{ min: 0, max: 100 }}
            onChange={(count) => {
              setPollers(count);
              call.reset();
            }}
          />
        </div>
        <CallStatus
          call={call}
          variant="primary"
          icon={Play}
          label={t('start')}
          onStart={() => call.start(input)}
          isEarlier={isEarlier}
          idle={t('idle', { limit, window: length(windowMs) })}
        />
      </Panel>
      <div className={layout.stack3}>
        <EarlierResult isEarlier={isEarlier}>
          <div className={styles.sides}>
            <FairnessSideView name="refusals" side={refusals} spanMs={spanMs} />
            <FairnessSideView name="queue" side={queue} spanMs={spanMs} />
          </div>
        </EarlierResult>
        <p className={styles.about}>{t('limits')}</p>
      </div>
    </div>
  );
}

interface Props {
  name: keyof Fairness;
  /** `undefined` before the first run. */
  side: FairnessSide | undefined;
  spanMs: number;
}

/** One way of waiting: when the people and the pollers were admitted. */
function FairnessSideView({ name, side, spanMs }: Props) {
  const t = useTranslations('labFairness');
  const { count, tick, time } = useLabNumbers();
  const id = useId();

  return (
    <section aria-labelledby={id}>
      <Panel>
        <div>
          <h3 id={id} className={layout.title}>
            {t(`${name}.title`)}
          </h3>
          <p className={styles.about}>{t(`${name}.about`)}</p>
        </div>
        <ol className={layout.stack3}>
          {groups.map((group) => (
            <li key={group}>
              <div className={styles.head}>
                <h4 className={styles.name}>{t(group)}</h4>
                <p className={styles.tally}>{side ? t('tally', tallyOf(side[group])) : t('notRun')}</p>
              </div>
              <LaneMarks spanMs={spanMs} windowMs={windowMs} above={side?.[group].admittedAt ?? noTimes} />
            </li>
          ))}
        </ol>
        <p className={layout.hint}>{t('bars', { end: tick(spanMs) })}</p>
        <dl className={styles.facts}>
          {groups.map((group) => (
            <div key={group}>
              <dt>{t(`meanWait.${group}`)}</dt>
              <dd>{typeof side?.[group].meanWaitMs === 'number' ? time(side[group].meanWaitMs) : '–'}</dd>
            </div>
          ))}
          <div>
            <dt>{t('calls')}</dt>
            <dd>{side ? count(side.calls) : '–'}</dd>
          </div>
        </dl>
      </Panel>
    </section>
  );
}

const noTimes: readonly number[] = [];

function tallyOf({ count, admittedAt }: FairnessSide['people']) {
  return { admitted: admittedAt.length, count };
}
