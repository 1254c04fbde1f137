import type { RunExperiment } from '../experiments/experiment';
import { mapInChunks } from '../experiments/map-in-chunks';
import type { Arrival } from '../fleet/arrival';
import type { Arrivals } from '../fleet/arrivals';
import {
  applyOverride,
  EXCLUDED,
  type Limiter,
  type Mode,
  type ResolvedPolicy,
  type Subjects,
} from '../limiter/index';
import { checkOverride } from '../limits/fleet-overrides';
import type { NamedLevel } from '../limits/policy-registry';

/** The values to try on the arrivals of the last minutes. An absent value stays the effective one. */
export interface WhatIfOptions extends NamedLevel {
  limit?: number | undefined;
  windowMs?: number | undefined;
  mode?: Mode | undefined;
  /** Aborts when the client disconnects. */
  signal?: AbortSignal | undefined;
}

/** The same arrivals, replayed twice by the product's script on a simulated clock, starting with empty windows. */
export interface WhatIf {
  /** Start of the replayed range, epoch ms by Redis's clock. The range has all arrivals of the policy. */
  from: number;
  to: number;
  arrivals: number;
  /** The real decisions. They equal `before` if the windows were empty at `from` and no limit was changed since. */
  recorded: Tally;
  /** The replay under the effective limits. */
  before: Replay;
  /** The replay under the tried limits. */
  after: Replay;
}

export interface Tally {
  admitted: number;
  /** Refused or banned. */
  refused: number;
}

export interface Replay extends Tally {
  /** One entry for each second of the range, also without arrivals. */
  perSecond: (Tally & { at: number })[];
}

export interface CreateWhatIfOptions {
  limiter: Pick<Limiter, 'effectivePolicy'>;
  arrivals: Pick<Arrivals, 'readRecent'>;
  runExperiment: RunExperiment;
}

const SECOND_MS = 1_000;

/**
 * Creates the what-if: it replays recent arrivals under other limits. Refusals charge nothing, so the decisions depend
 * only on the arrivals, their subjects and the limits. Replayed request ids are left out, because no limit charges them.
 */
export function createWhatIf({ limiter, arrivals, runExperiment }: CreateWhatIfOptions) {
  async function replay(
    policy: ResolvedPolicy<unknown>,
    calls: readonly Arrival[],
    signal: AbortSignal | undefined,
  ): Promise<boolean[]> {
    return runExperiment({ signal }, (experiment) => {
      const own = experiment.limiter();
      const decide = async ({ at, subjects: recorded }: Arrival) => {
        const subjects = Object.fromEntries<Subjects[string]>(
          policy.levels.map(({ level }, index) => [level, recorded[index] ?? EXCLUDED]),
        );
        return (await own.decideAt(at, policy, subjects)).allowed;
      };
      return mapInChunks(calls, decide, { signal: experiment.signal });
    });
  }

  return async function whatIf({ policy, index, signal, ...values }: WhatIfOptions): Promise<WhatIf> {
    const effective = limiter.effectivePolicy(policy).levels;
    const changed = changedLevels(policy, effective, { index, ...values });
    const { from, to, arrivals: all } = await arrivals.readRecent(policy);
    const calls = all.filter(({ outcome }) => outcome !== 'replayed');
    const decideUnder = (levels: ResolvedPolicy<never>['levels']) =>
      replay(toReplayPolicy(policy, levels), calls, signal);
    const before = await decideUnder(effective);
    const after = await decideUnder(changed);
    return {
      ...{ from, to, arrivals: calls.length },
      recorded: {
        admitted: calls.filter(({ outcome }) => outcome === 'admitted' || outcome === 'degraded').length,
        refused: calls.filter(({ outcome }) => outcome === 'refused' || outcome === 'banned').length,
      },
      before: toReplay(calls, before, { from, to }),
      after: toReplay(calls, after, { from, to }),
    };
  };
}

export type RunWhatIf = ReturnType<typeof createWhatIf>;

/** Returns the policy for a replay: subjects are given, each call has the greatest cost, and a store failure fails the replay. */
function toReplayPolicy(
  { name, message, cost }: ResolvedPolicy<never>,
  levels: ResolvedPolicy<never>['levels'],
): ResolvedPolicy<unknown> {
  return {
    ...{ name, message, cost, costOf: undefined, onStoreError: 'closed', requestId: undefined },
    ...{ settle: undefined, settleMs: 0 },
    levels: levels.map(({ by: _by, when: _when, plans: _plans, queue: _queue, ...level }) => ({
      ...level,
      plans: undefined,
    })),
  };
}

/** Returns the levels with the tried values. Throws BAD_REQUEST with the limiter's message. */
function changedLevels(
  policy: ResolvedPolicy<never>,
  effective: ResolvedPolicy<never>['levels'],
  { index, ...tried }: Pick<WhatIfOptions, 'index' | 'limit' | 'windowMs' | 'mode'>,
): ResolvedPolicy<never>['levels'] {
  return effective.map((level, position) => {
    return position === index ? checkOverride(policy, applyOverride(level, tried)) : level;
  });
}

function toReplay(
  calls: readonly Arrival[],
  admitted: readonly boolean[],
  { from, to }: { from: number; to: number },
): Replay {
  const first = Math.floor(from / SECOND_MS);
  const seconds = Math.floor(to / SECOND_MS) - first + 1;
  const perSecond = Array.from({ length: seconds }, (_, index) => ({
    ...{ at: (first + index) * SECOND_MS, admitted: 0, refused: 0 },
  }));
  const sum = { admitted: 0, refused: 0 };
  for (const [index, { at }] of calls.entries()) {
    const outcome = admitted[index] ? 'admitted' : 'refused';
    sum[outcome] += 1;
    const second = perSecond[Math.floor(at / SECOND_MS) - first];
    if (second) second[outcome] += 1;
  }
  return { ...sum, perSecond };
}
