'use client';

import layout from '../../_components/ui/layout.module.css';
import { MistakeCard } from './mistake-card';
import { RaceCard } from './race-card';
import { RoundTripsCard } from './round-trips-card';

/** Common mistakes in rate limiters. */
export default function Mistakes() {
  return (
    <div className={layout.stack5}>
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
