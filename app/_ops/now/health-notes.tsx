import { useFormatter, useLocale, useTranslations } from 'next-intl';
import { Fragment, type ReactNode } from 'react';
import { classNames } from '../../_components/ui/class-names';
import { sentenceGap } from '../../_i18n/language';
import { isUnchecked, listNodeFaults, useHealthText } from '../health';
import type { OpsEvent } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';
import { dependencies, readCondition, readNodesState, warnings } from './condition';
import styles from './health.module.css';

/** States what is wrong, in lines that are reserved for it: an interrupted stream, and the reason of each failing check. */
export function HealthNotes() {
  const t = useTranslations('opsNow.health');
  const tNow = useTranslations('opsNow');
  const event = useOpsFeed((snapshot) => snapshot.event);
  const status = useOpsFeed((snapshot) => snapshot.status);
  const gap = sentenceGap(useLocale());
  const formatHealth = useHealthText();
  const health = event?.health ?? {};
  const conditionOf = (name: (typeof dependencies)[number]) => event && readCondition(name, event);
  return (
    <div className={styles.notes}>
      <p role="status" className={styles.stale}>
        {status === 'stale' && tNow('stale')}
      </p>{' '}
      <dl>
        {dependencies.map((name) => {
          const found = health[name];
          return (
            found?.ok === false &&
            !isUnchecked(found) && (
              <Fault key={name} label={t(name)} isWarning={conditionOf(name) === 'slow'}>
                <dd>
                  {formatHealth(found)}
                  {name === 'redis' && conditionOf(name) === 'failing' && gap + t('afterOutage')}
                </dd>
              </Fault>
            )
          );
        })}
        {warnings.map((name) => {
          const found = health[name];
          // While Redis is down, its own line states it.
          if (name === 'redisErrors' && health.redis?.ok === false) return null;
          return (
            found?.ok === false && (
              <Fault key={name} label={t(`warning.${name}`)} isWarning>
                <dd>{formatHealth(found)}</dd>
              </Fault>
            )
          );
        })}
        <FailingNodes event={event} />
      </dl>
    </div>
  );
}

/** A fault: what fails, and why. */
function Fault({ label, isWarning, children }: { label: string; isWarning: boolean; children: ReactNode }) {
  return (
    <div className={classNames(styles.fault, isWarning && styles.warningFault)}>
      <dt>{label}</dt> {children}{' '}
    </div>
  );
}

const stores = ['redis', 'postgres'] as const;

function isStore(name: string): name is (typeof stores)[number] {
  return stores.some((store) => store === name);
}

/** The other checks with a translation. */
const otherChecks = ['ledger', 'auditor', ...warnings] as const;

/** States the faults of single nodes. A fault of all nodes is stated above. */
function FailingNodes({ event }: { event: OpsEvent | undefined }) {
  const t = useTranslations('opsNow.health');
  const { list } = useFormatter();
  const nodes = event ? listNodeFaults(event) : [];
  if (nodes.length === 0) return null;

  /** Returns the faults of a node, each with a verb. A check without a translation keeps its code name. */
  function faultsText(failing: readonly string[]): string {
    const unreachable = stores.filter((name) => failing.includes(name));
    const others = failing.filter((name) => !isStore(name));
    return list([
      ...(unreachable.length > 0
        ? [t('fault.unreachable', { stores: list(unreachable.map((one) => t(one))) })]
        : []),
      ...others.map((check) => {
        const known = otherChecks.find((name) => name === check);
        return known ? t(`fault.${known}`) : t('fault.other', { check });
      }),
    ]);
  }

  return (
    <Fault label={t('nodes')} isWarning={readNodesState(nodes) === 'wait'}>
      {nodes.map(({ node, failing }) => (
        <Fragment key={node}>
          <dd>{t('fault.ofNode', { node, faults: faultsText(failing) })}</dd>{' '}
        </Fragment>
      ))}
    </Fault>
  );
}
