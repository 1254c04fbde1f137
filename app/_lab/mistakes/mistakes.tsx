'use client';

import { MistakeCard } from './mistake-card';
import styles from './mistakes.module.css';
import { RaceCard } from './race-card';
import { RoundTripsCard } from './round-trips-card';

/** Common mistakes in rate limiters. */
export default function Mistakes() {
  return (
    <div className={styles.list}>
      <RaceCard variant="four-commands" />
      <RaceCard variant="timestamp-member" />
      <MistakeCard name="double-burst" />
      <MistakeCard name="node-clock" />
      <MistakeCard name="self-extending-block" />
      <MistakeCard name="cross-slot" />
      <RoundTripsCard />
    </div>
  );
}
