import { type Limiter, type Punished, withinStoreTimeout } from '../limiter';
import type { Catalogue } from '../limits/catalogue';
import type { RateCounter } from '../limits/rates';
import type { RefusedSubject } from '../limits/refused-subjects';
import type { Subjects } from '../limits/subjects';

/** Somebody who was refused often of late, and how the level that counts them punishes that. */
export interface ListedSubject extends RefusedSubject {
  /** As it stands now. Only where the level punishes. */
  punished?: Punished & {
    /** The violation that makes the ban. */
    banAt: number;
  };
}

export interface RefusedListOptions {
  limiter: Pick<Limiter, 'peekNamed'>;
  rates: Pick<RateCounter, 'fleet'>;
  subjects: Pick<Subjects, 'refused'>;
}

/** For a look at what nodes have told. */
const WAIT_MS = 500;

/** Lists who was refused most, on all nodes, fifty of each level at most. Throws `StoreUnavailableError`. */
export function createRefusedList({ limiter, rates, subjects }: RefusedListOptions) {
  return async function refusedList(catalogue: Catalogue): Promise<ListedSubject[]> {
    const fleet = await withinStoreTimeout(rates.fleet(), WAIT_MS);
    const refused = await subjects.refused(fleet.map(({ node }) => node));
    // Looks of one turn travel together: dozens of them are a few round trips.
    return Promise.all(
      refused.map(async (one) => {
        const policy = catalogue.find(({ name }) => name === one.policy);
        const place = policy?.levels.findIndex(({ level }) => level === one.level) ?? -1;
        const punishment = policy?.levels[place]?.punishment;
        // A node of another version may count at a level that this one does not know.
        if (!policy || !punishment) return one;
        const { punished } = await limiter.peekNamed(policy, { place, name: one.ref });
        return { ...one, ...(punished && { punished: { ...punished, banAt: punishment.banAt } }) };
      }),
    );
  };
}

export type RefusedList = ReturnType<typeof createRefusedList>;
