import type { RunExperiment } from '../lab/experiment';
import { mapInChunks } from '../lab/map-in-chunks';
import type { Limiter, Mode, ResolvedPolicy } from '../limiter';
import type { Arrival } from '../limits/arrival';
import type { Arrivals } from '../limits/arrivals';
import { checkedOverride } from '../limits/checked-override';
import type { NamedLevel } from '../limits/level-of';

/** A question: what would these numbers have done to the last minutes? What is absent stays as it is in force. */
export interface WhatIfOptions extends NamedLevel {
  limit?: number | undefined;
  windowMs?: number | undefined;
  mode?: Mode | undefined;
  /** Aborted when whoever asks goes away. */
  signal?: AbortSignal | undefined;
}

/** The same arrivals, decided twice by the product's own script on a simulated clock, from empty windows on. */
export interface WhatIf {
  /** Epoch ms by Redis's clock: all arrivals of the policy within it are among these. */
  from: number;
  to: number;
  arrivals: number;
  /** What was in fact decided: as `before`, where the windows were empty at `from` and nothing was tuned since. */
  recorded: Tally;
  /** Under the limits in force. */
  before: Replay;
  /** Under the limits that are asked about. */
  after: Replay;
}

export interface Tally {
  admitted: number;
  /** Refused or banned. */
  refused: number;
}

export interface Replay extends Tally {
  /** One for each second that lies in the stretch, those without arrivals among them. */
  perSecond: (Tally & { at: number })[];
}

export interface WhatIfDependencies {
  /** What is in force. */
  limiter: Pick<Limiter, 'effective'>;
  arrivals: Pick<Arrivals, 'recent'>;
  conduct: RunExperiment;
}

const SECOND_MS = 1_000;

/**
 * Answers what other numbers would have done. Refusals charge nothing, so who would have been admitted depends on
 * nothing but the arrivals, their subjects and the numbers. Calls repeated under an id that had been charged are left
 * out: no limit would have charged them.
 */
export function createWhatIf({ limiter, arrivals, conduct }: WhatIfDependencies) {
  async function replay(
    policy: ResolvedPolicy<unknown>,
    calls: readonly Arrival[],
    signal: AbortSignal | undefined,
  ): Promise<boolean[]> {
    return conduct({ signal }, (experiment) => {
      const own = experiment.limiter();
      const decide = async ({ at, subjects }: Arrival) => (await own.decideAt(at, policy, subjects)).allowed;
      return mapInChunks(calls, decide, { signal: experiment.signal });
    });
  }

  return async function whatIf({ policy, place, signal, ...asked }: WhatIfOptions): Promise<WhatIf> {
    const inForce = limiter.effective(policy).levels;
    const changed = changedLevels(policy, inForce, { place, ...asked });
    const { from, to, arrivals: all } = await arrivals.recent(policy);
    const calls = all.filter(({ outcome }) => outcome !== 'replayed');
    const decidedBy = (levels: ResolvedPolicy<never>['levels']) =>
      replay(replayed(policy, levels), calls, signal);
    const before = await decidedBy(inForce);
    const after = await decidedBy(changed);
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

export type AskWhatIf = ReturnType<typeof createWhatIf>;

/** The policy for calls whose subjects are known. A replay that the store leaves alone is no answer, whatever the policy. */
function replayed(
  { name, message, cost }: ResolvedPolicy<never>,
  levels: ResolvedPolicy<never>['levels'],
): ResolvedPolicy<unknown> {
  return {
    ...{ name, message, cost, onStoreError: 'closed', requestId: undefined },
    levels: levels.map(({ by: _by, when: _when, ...level }) => level),
  };
}

/** The levels under the numbers that are asked about. Throws BAD_REQUEST with the limiter's sentence. */
function changedLevels(
  policy: ResolvedPolicy<never>,
  inForce: ResolvedPolicy<never>['levels'],
  { place, limit, windowMs, mode }: Pick<WhatIfOptions, 'place' | 'limit' | 'windowMs' | 'mode'>,
): ResolvedPolicy<never>['levels'] {
  return inForce.map((level, one) => {
    if (one !== place) return level;
    return checkedOverride(policy, {
      ...level,
      limit: limit ?? level.limit,
      windowMs: windowMs ?? level.windowMs,
      mode: mode ?? level.mode,
    });
  });
}

function toReplay(
  calls: readonly Arrival[],
  admitted: readonly boolean[],
  { from, to }: { from: number; to: number },
): Replay {
  const first = Math.floor(from / SECOND_MS);
  const seconds = Math.floor(to / SECOND_MS) - first + 1;
  const perSecond = Array.from({ length: seconds }, (_, place) => ({
    ...{ at: (first + place) * SECOND_MS, admitted: 0, refused: 0 },
  }));
  const sum = { admitted: 0, refused: 0 };
  for (const [place, { at }] of calls.entries()) {
    const fate = admitted[place] ? 'admitted' : 'refused';
    sum[fate] += 1;
    const second = perSecond[Math.floor(at / SECOND_MS) - first];
    if (second) second[fate] += 1;
  }
  return { ...sum, perSecond };
}
