import type { RateCounter } from '../fleet/rates';
import type { RefusedSubject } from '../fleet/refused-subjects';
import type { SubjectStats } from '../fleet/subject-stats';
import { type Limiter, type Punished, withinStoreTimeout } from '../limiter';
import type { PolicyRegistry } from '../limits/policy-registry';

/** An often refused subject, and its punishment by the level. */
export interface ListedSubject extends RefusedSubject {
  /** The current punishment. Present only for a level that punishes. */
  punished?: Punished & {
    /** Number of the violation that bans. */
    banAt: number;
  };
}

export interface ListRefusedOptions {
  limiter: Pick<Limiter, 'peekNamed'>;
  rates: Pick<RateCounter, 'readFleet'>;
  subjects: Pick<SubjectStats, 'readRefused'>;
}

const STORE_TIMEOUT_MS = 500;

/** Lists the most refused subjects on all nodes, at most 50 per level. Throws `StoreUnavailableError`. */
export function createListRefused({ limiter, rates, subjects }: ListRefusedOptions) {
  return async function listRefused(policies: PolicyRegistry): Promise<ListedSubject[]> {
    const fleet = await withinStoreTimeout(rates.readFleet(), STORE_TIMEOUT_MS);
    const refused = await subjects.readRefused(fleet.map(({ node }) => node));
    // Peeks of one tick are batched: dozens of them need a few round trips.
    return Promise.all(
      refused.map(async (one) => {
        const policy = policies.find(({ name }) => name === one.policy);
        const index = policy?.levels.findIndex(({ level }) => level === one.level) ?? -1;
        const punishment = policy?.levels[index]?.punishment;
        // A node of another version may count at a level that this one does not know.
        if (!policy || !punishment) return one;
        const { punished } = await limiter.peekNamed(policy, { index: index, name: one.ref });
        return { ...one, ...(punished && { punished: { ...punished, banAt: punishment.banAt } }) };
      }),
    );
  };
}

export type ListRefused = ReturnType<typeof createListRefused>;
