'use client';

import { useTranslations } from 'next-intl';
import { useId } from 'react';
import layout from '../../_components/ui/layout.module.css';
import type { Card } from '../types';
import { MistakeCard } from './mistake-card';
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

/** The card that measures instead of comparing. */
const ROUND_TRIPS = 'round-trips';

interface Props {
  cards: readonly Card[];
  /** The card of the URL, which is open at first. */
  opened: string | undefined;
}

/** Common mistakes in rate limiters, by their cause. The URL names the card that was opened last. */
export default function Mistakes({ cards, opened }: Props) {
  return (
    <div className={layout.stack5}>
      {groups.map((group) => (
        <Group key={group} name={group}>
          {cards
            .filter((card) => card.group === group)
            .map((card) => (
              <MistakeCard
                key={card.id}
                card={card}
                isOpen={card.id === opened}
                onOpen={() => setCard(card.id)}
              />
            ))}
          {group === 'atomicity' && (
            <RoundTripsCard isOpen={opened === ROUND_TRIPS} onOpen={() => setCard(ROUND_TRIPS)} />
          )}
        </Group>
      ))}
    </div>
  );
}

function setCard(id: string): void {
  const url = new URL(window.location.href);
  url.searchParams.set('card', id);
  window.history.replaceState(null, '', url);
}

function Group({ name, children }: { name: Card['group']; children: React.ReactNode }) {
  const t = useTranslations('lab.mistakeGroups');
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.group}>
      <h3 id={id} className={styles.name}>
        {t(name)}
      </h3>
      {children}
    </section>
  );
}
