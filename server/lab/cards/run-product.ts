import type { Experiment } from '../../experiments/experiment';
import { clockOrigin, type ExperimentLimiter } from '../../experiments/experiment-limiter';
import { mapInChunks } from '../../experiments/map-in-chunks';
import {
  type Decision,
  type Policy,
  type ResolvedPolicy,
  readPlans,
  resolvePolicy,
  StoreUnavailableError,
  type Subjects,
} from '../../limiter/index';
import { type DecidedCall, summarizeDecisions, toDecidedCall } from '../decided-call';
import { readKeySnapshots } from '../key-snapshots';
import type { Card, CardCall } from './card';
import { type CardRun, selectClient } from './run-naive';

/** Runs the load of a card through the product. */
export async function runProduct(
  experiment: Experiment,
  card: Card,
  onStoreError: Policy['onStoreError'],
): Promise<CardRun> {
  const { calls, windowMs } = card;
  const origin = clockOrigin(windowMs);
  const listNewKeys = experiment.trackNewKeys();
  const limiterOf = createLimiters(experiment, card);
  const policyOf = createPolicies(card, onStoreError);
  const running = createRunningCalls(limiterOf, origin);

  async function decide(call: CardCall): Promise<DecidedCall> {
    try {
      const policy = policyOf(call);
      const plans = readPlans(policy.levels, { input: undefined, context: call });
      const decision = await limiterOf(call).decideAt(origin + call.at, policy, subjectsOf(call), plans);
      running.start(call, decision);
      return toDecidedCall(call.at, decision);
    } catch (error) {
      if (!card.isStoreDown || !(error instanceof StoreUnavailableError)) throw error;
      return { at: call.at, allowed: false, remaining: 0, retryAfterMs: 0, delayMs: 0 };
    }
  }

  const hasDurations = calls.some(({ runMs }) => runMs !== undefined);
  const decisions: DecidedCall[] = hasDurations ? [] : await mapInChunks(calls, decide, experiment);
  for (const call of hasDurations ? calls : []) {
    experiment.signal.throwIfAborted();
    await running.endUntil(call.at);
    decisions.push(await decide(call));
  }
  const keys = await readKeySnapshots(experiment, listNewKeys(), { origin, packedBy: packedBy(card) });
  const forEver = keys.filter(({ ttlMs }) => ttlMs < 0);
  return {
    measured: {
      ...summarizeDecisions(decisions, windowMs),
      ...{ calls, keyNames: listNewKeys(), keysLeft: keys.length, keysForEver: forEver.length },
    },
    // The answer of a call does not wait for its settling or release.
    roundTrips: Math.ceil((limiterOf.scriptCalls() - running.ended()) / calls.length),
    keys,
  };
}

/** Returns the subjects of a call: its caller, if it has one. */
function subjectsOf({ caller }: CardCall): Subjects {
  return caller === undefined ? {} : { user: caller, ip: caller };
}

/** Creates the limiters of a card. Returns the limiter of a call: that of its node while the store is down, else one for all. */
function createLimiters(experiment: Experiment, card: Card) {
  const client = selectClient(experiment, card);
  const nodeOf = ({ target = '' }: CardCall) => (card.isStoreDown ? target : '');
  const nodes = new Set(card.calls.map(nodeOf));
  const limiters = new Map(
    [...nodes].map((node) => [node, experiment.limiter(client, { nodes: nodes.size })]),
  );
  function limiterOf(call: CardCall): ExperimentLimiter {
    const limiter = limiters.get(nodeOf(call));
    if (!limiter) throw new Error(`no call of the card names the node "${nodeOf(call)}"`);
    return limiter;
  }
  const scriptCalls = () => [...limiters.values()].reduce((sum, limiter) => sum + limiter.scriptCalls(), 0);
  return Object.assign(limiterOf, { scriptCalls });
}

/** Returns the levels that decide a call. */
function levelsOf({ limit, windowMs, levels, levelsByTarget }: Card, { target = '' }: CardCall) {
  return levelsByTarget?.[target] ?? levels ?? [{ level: 'global' as const, limit, windowMs }];
}

/** Creates the policies of a card. Returns the policy of a call: one for all, or one for each target. */
function createPolicies(card: Card, onStoreError: Policy['onStoreError']) {
  const policies = new Map<string, ResolvedPolicy<CardCall>>();
  return function policyOf(call: CardCall): ResolvedPolicy<CardCall> {
    const target = card.levelsByTarget ? (call.target ?? '') : '';
    const name = target ? `product-${target}` : `product-${onStoreError}`;
    const { settle } = card;
    const policy =
      policies.get(name) ??
      resolvePolicy<CardCall>(
        {
          ...{ name, levels: levelsOf(card, call), message: { en: 'Refused.' }, onStoreError },
          ...(settle && { settle }),
        },
        name,
      );
    policies.set(name, policy);
    return policy;
  };
}

/** Returns the algorithm of the first level. The state of a punishment or of leases has another format than a window. */
function packedBy(card: Card) {
  const [first] = card.calls[0] ? levelsOf(card, card.calls[0]) : [];
  return first && 'limit' in first && !first.punishment ? (first.algorithm ?? 'sliding-log') : undefined;
}

/** Ends admitted calls after their duration on the experiment's clock: settles them, and releases their leases. */
function createRunningCalls(limiterOf: (call: CardCall) => ExperimentLimiter, origin: number) {
  let running: { endsAt: number; call: CardCall; decision: Decision }[] = [];
  let ended = 0;
  return {
    start(call: CardCall, decision: Decision) {
      if (call.runMs !== undefined && decision.allowed)
        running.push({ endsAt: call.at + call.runMs, call, decision });
    },
    /** Ends the calls that end at this time at the latest, in the order of their ends. */
    async endUntil(at: number) {
      const ending = running.filter(({ endsAt }) => endsAt <= at);
      running = running.filter(({ endsAt }) => endsAt > at);
      for (const { endsAt, call, decision } of ending.toSorted((one, other) => one.endsAt - other.endsAt)) {
        await limiterOf(call).endAt(origin + endsAt, decision, { hasFailed: call.hasFailed === true });
        ended += 1;
      }
    },
    ended: () => ended,
  };
}
