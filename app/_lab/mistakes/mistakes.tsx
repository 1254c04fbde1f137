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

/** Common mistakes in rate limiters, by their cause, with their measured figures, and the chosen one. The URL names it. */
export default function Mistakes({ cards, isTour }: Props) {
  const t = useTranslations('labMistakes');
  const [chosen, setChosen] = useUrlChoice('card');
  const [chosenBy, setChosenBy] = useState<ChosenBy>(chosen === null ? 'default' : 'url');
  const shownId = chosen ?? cards[0]?.id ?? null;
  const card = cards.find(({ id }) => id === shownId);
  const entries: Entry[] = [
    ...cards.map(({ id, title, group, figures: { naive } }) => ({ id, title, group, figure: naive })),
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
      {shownId === ROUND_TRIPS && <RoundTripsCard chosenBy={chosenBy} />}
      {shownId === LEASES && <LeasesCard chosenBy={chosenBy} />}
    </>
  );

  return (
    <div className={styles.sideBySide}>
      {isTour && shown}
      <label className={styles.select}>
        <span className={classNames(layout.hint, controls.label)}>{t('choose')}</span>
        <select
          className={controls.control}
          value={shownId ?? ''}
          onChange={(event) => choose(event.target.value, 'select')}
        >
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
      <div className={styles.groups}>
        {groups.map((group, index) => (
          <Group
            key={group}
            isFirst={index === 0}
            name={t(`groups.${group}`)}
            entries={entries.filter((entry) => entry.group === group)}
            chosen={shownId}
            onChoose={(id) => choose(id, 'button')}
          />
        ))}
      </div>
      {!isTour && shown}
    </div>
  );
}

interface Entry {
  id: string;
  title: string;
  group: Card['group'];
  /** The measured figure of the faulty limiter. */
  figure?: Card['figures']['naive'];
}

interface GroupProps {
  name: string;
  /** It names the figures of all groups. */
  isFirst: boolean;
  entries: readonly Entry[];
  chosen: string | null;
  onChoose(id: string): void;
}

function Group({ name, isFirst, entries, chosen, onChoose }: GroupProps) {
  const id = useId();
  const t = useTranslations('labMistakes.side');
  return (
    <div>
      <div className={classNames(layout.words3, layout.apart, styles.groupName)}>
        <h3 id={id} className={layout.title}>
          {name}
        </h3>
        {isFirst && <span className={classNames(layout.hint, styles.ratio)}>{t('ratio')}</span>}
      </div>
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
              {entry.figure && (
                <span className={classNames(layout.figures, styles.measured)}>
                  {' '}
                  {t('count', { count: entry.figure[0], limit: entry.figure[1] })}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
