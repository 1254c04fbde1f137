import type { Arrival } from '../fleet/arrival';
import type { Arrivals } from '../fleet/arrivals';
import type { Heartbeat } from '../fleet/heartbeat';
import type { RefusedSubject } from '../fleet/refused-subjects';
import type { SubjectStats } from '../fleet/subject-stats';
import {
  GLOBAL_SUBJECT,
  type Punished,
  type ResolvedPolicy,
  type Window,
  withinStoreTimeout,
} from '../limiter/index';
import type { NamedLevel, PolicyRegistry } from '../limits/policy-registry';
import { type PeekingLimiter, peekReadable } from './peek-readable';
import { OPS_STORE_TIMEOUT_MS } from './store-timeout';

/** An often refused subject, and its punishment by the level. */
export interface ListedSubject extends RefusedSubject {
  /** The current punishment. Present only for a level that punishes, and if Redis can read its keys. */
  punished?: Punished & {
    /** Number of the violation that bans. */
    banAt: number;
  };
}

export interface ListRefusedOptions {
  limiter: PeekingLimiter;
  heartbeat: Pick<Heartbeat, 'readFleet'>;
  subjects: Pick<SubjectStats, 'readRefused'>;
}

/** About 50 kB. */
const MAX_LISTED = 250;

/** Lists the most refused subjects on all nodes, at most 50 per level and 250 in all. Throws `StoreUnavailableError`. */
export function createListRefused({ limiter, heartbeat, subjects }: ListRefusedOptions) {
  return async function listRefused(policies: PolicyRegistry): Promise<ListedSubject[]> {
    const fleet = await withinStoreTimeout(heartbeat.readFleet(), OPS_STORE_TIMEOUT_MS);
    const nodes = fleet.map(({ node }) => node);
    const refused = (await subjects.readRefused(nodes)).slice(0, MAX_LISTED);
    // Peeks of one tick are batched: dozens of them need a few round trips.
    return Promise.all(
      refused.map(async (one) => {
        const policy = policies.find(({ name }) => name === one.policy);
        const { level } = one;
        const punishment = policy?.levels.find((declared) => declared.level === level)?.punishment;
        // A node of another version may count at a level that this one does not know.
        if (!policy || !punishment) return one;
        const { punished } = await peekReadable(limiter, policy, { level, pseudonym: one.ref });
        return { ...one, ...(punished && { punished: { ...punished, banAt: punishment.banAt } }) };
      }),
    );
  };
}

export type ListRefused = ReturnType<typeof createListRefused>;

/** The state of a subject at a level. Reading it charges nothing. */
export interface Explanation {
  /** Epoch ms by Redis's clock. */
  serverNow: number;
  /** The subject's window and its hits. */
  window: Window;
  /** Instant at which the next slot frees, epoch ms; null if one is free. For a banned subject: the end of the ban. */
  nextSlotAt: number | null;
  /** The levels whose windows Redis cannot read, because their keys have a wrong type. Absent: none. */
  unreadable?: string[];
  /** Present only for a level that punishes. */
  punished?: { violations: number; warning: boolean; bannedUntil: number | null };
  /** The subject's captured calls, newest first, at most 100. */
  recent: Pick<Arrival, 'at' | 'outcome' | 'refusedBy'>[];
  /**
   * The level's punishment: the number of the violation that bans, the length of a ban, and the time after which
   * violations lapse.
   */
  punishment?: { banAt: number; banMs: number; lapseMs: number };
  /**
   * The newest refusal, if another level than the one that counts the subject refused it, and that level's window. `at` is
   * absent if the call is no longer recorded.
   */
  refusedElsewhere?: { at?: number; window: Window };
}

interface ExplainOptions extends NamedLevel {
  /** The `ref` of `ops.subjects`, of a window or of a ban. Absent for a global level. */
  ref?: string | undefined;
  /** The name of the level whose refusals to explain. Default: the level of the newest refusal. */
  refusedBy?: string | undefined;
}

interface CreateExplainOptions {
  limiter: PeekingLimiter;
  arrivals: Pick<Arrivals, 'readRecent'>;
  /** Redis's clock in epoch ms, as this node estimates it. */
  storeNow: () => number;
}

const MAX_RECENT = 100;

/** Builds the query of one subject. It charges nothing, and rejects with `StoreUnavailableError`. */
export function createExplain({ limiter, arrivals, storeNow }: CreateExplainOptions) {
  return async function explain({
    policy,
    index,
    ref = GLOBAL_SUBJECT,
    refusedBy: wanted,
  }: ExplainOptions): Promise<Explanation> {
    const [own, { arrivals: known }] = await Promise.all([
      peekReadable(limiter, policy, { level: nameAt(policy, index), pseudonym: ref }),
      arrivals.readRecent(policy),
    ]);
    const calls = known.filter(({ subjects }) => subjects[index] === ref).slice(-MAX_RECENT);
    const refusal = calls.findLast(({ refusedBy }) => refusedBy && refusedBy === (wanted ?? refusedBy));
    const refusing = policy.levels.findIndex(({ level }) => level === (refusal?.refusedBy ?? wanted));
    // Without the call, only the subject of the global level is known.
    const isKnown = refusal ? refusal.outcome === 'refused' : wanted === 'global';
    const elsewhere =
      isKnown && refusing >= 0 && refusing !== index
        ? await peekReadable(limiter, policy, {
            level: nameAt(policy, refusing),
            pseudonym: refusal?.subjects[refusing] || GLOBAL_SUBJECT,
          })
        : undefined;
    const punishment = policy.levels[index]?.punishment;
    const { now = storeNow(), window, punished } = own;
    const unreadable = [own, elsewhere].flatMap((one) => (one?.isUnreadable ? [one.window.level] : []));
    return {
      serverNow: now,
      window,
      nextSlotAt: window.retryAfterMs > 0 ? now + window.retryAfterMs : null,
      ...(unreadable.length > 0 && { unreadable }),
      ...(punished && { punished }),
      ...(punishment && { punishment }),
      ...(elsewhere && {
        refusedElsewhere: { ...(refusal && { at: refusal.at }), window: elsewhere.window },
      }),
      recent: calls.reverse().map(({ at, outcome, refusedBy }) => ({ at, outcome, refusedBy })),
    };
  };
}

export type Explain = ReturnType<typeof createExplain>;

function nameAt({ levels }: ResolvedPolicy<never>, index: number): string {
  return levels[index]?.level ?? '';
}
