import { useTranslations } from 'next-intl';
import { useId, useState } from 'react';
import { classNames } from '../../_components/ui/class-names';
import controls from '../../_components/ui/controls.module.css';
import layout from '../../_components/ui/layout.module.css';
import { useUrlChoice } from '../experiment';
import type { Card } from '../types';
import { LeasesCard } from './leases-card';
import { MistakeCard } from './mistake-card';
import type { ChosenBy } from './mistake-frame';
import styles from './mistakes.module.css';
import { RoundTripsCard } from './round-trips-card';

const groups = [
  'atomicity',
  'time',
  'buckets',
  'keys',
  'punishment',
  'failure',
] as const satisfies readonly Card['group'][];

/** The cards that measure the product instead of showing a mistake. */
const ROUND_TRIPS = 'round-trips';
const LEASES = 'leases';

interface Props {
  cards: readonly Card[];
  /** A step of the tour is about the chosen card, which then comes first. */
  isTour: boolean;
}

/** Common mistakes in rate limiters, by their cause, and the chosen one below. The URL names it. */
export default function Mistakes({ cards, isTour }: Props) {
  const t = useTranslations('labMistakes');
  const [chosen, setChosen] = useUrlChoice('card');
  const [chosenBy, setChosenBy] = useState<ChosenBy>('url');
  const card = cards.find(({ id }) => id === chosen);
  const entries = [
    ...cards,
    { id: ROUND_TRIPS, title: t('roundTrips.title'), group: 'atomicity' },
    { id: LEASES, title: t('leases.title'), group: 'atomicity' },
  ];

  function choose(id: string, by: ChosenBy): void {
    setChosen(id);
    setChosenBy(by);
  }

  const shown = (
    <>
      {card && <MistakeCard key={card.id} card={card} chosenBy={chosenBy} />}
      {chosen === ROUND_TRIPS && <RoundTripsCard chosenBy={chosenBy} />}
      {chosen === LEASES && <LeasesCard chosenBy={chosenBy} />}
    </>
  );

  return (
    <div className={layout.stack4}>
      {isTour && shown}
      <label className={styles.select}>
        <span className={classNames(layout.hint, controls.label)}>{t('choose')}</span>
        <select
          className={controls.control}
          value={chosen ?? ''}
          onChange={(event) => choose(event.target.value, 'select')}
        >
          {!chosen && <option value="">{t('none')}</option>}
          {groups.map((group) => (
            <optgroup key={group} label={t(`groups.${group}`)}>
              {entries
                .filter((entry) => entry.group === group)
                .map(({ id, title }) => (
                  <option key={id} value={id}>
                    {title}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </label>
      <div className={classNames(styles.groups, chosen !== null && styles.hasChoice)}>
        {groups.map((group) => (
          <Group
            key={group}
            name={t(`groups.${group}`)}
            entries={entries.filter((entry) => entry.group === group)}
            chosen={chosen}
            onChoose={(id) => choose(id, 'button')}
          />
        ))}
      </div>
      {!isTour && shown}
    </div>
  );
}

interface GroupProps {
  name: string;
  entries: readonly { id: string; title: string }[];
  chosen: string | null;
  onChoose(id: string): void;
}

function Group({ name, entries, chosen, onChoose }: GroupProps) {
  const id = useId();
  return (
    <div>
      <h3 id={id} className={classNames(layout.title, styles.groupName)}>
        {name}
      </h3>
      <ul aria-labelledby={id} className={styles.list}>
        {entries.map((entry) => (
          <li key={entry.id}>
            <button
              type="button"
              aria-pressed={entry.id === chosen}
              className={styles.entry}
              data-keep
              onClick={() => onChoose(entry.id)}
            >
              {entry.title}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
