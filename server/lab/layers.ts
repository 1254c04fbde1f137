import type { Experiment, RunExperiment } from '../experiments/experiment';
import { clockOrigin, experimentPolicy } from '../experiments/experiment-limiter';
import { mapInChunks } from '../experiments/map-in-chunks';
import type { Decision, ResolvedPolicy } from '../limiter/index';

export const layers = ['gateway', 'api', 'user'] as const;
export type Layer = (typeof layers)[number];

export interface LayeredCall {
  /** Time in ms on the experiment's clock. */
  at: number;
  /** Number of the caller's address. */
  address: number;
  /** Number of the user. */
  user: number;
}

export type LayerLimits = Record<Layer, { limit: number; windowMs: number }>;

export interface LayersInput {
  /** In any order. */
  calls: readonly LayeredCall[];
  /** gateway: a leaky bucket per address. api: one sliding log for all calls. user: a sliding log per user. */
  limits: LayerLimits;
  signal?: AbortSignal | undefined;
}

/** The same calls through three limits, decided together and separately. */
export interface Layers {
  /** One policy with three levels: either all are charged or none. */
  together: LayersSide;
  /** Three policies in sequence: layers before the refusal stay charged. */
  apart: LayersSide;
}

export interface LayersSide {
  /** Ascending by time. */
  decisions: LayeredDecision[];
  admitted: number;
  /** Number of calls for which each layer was the first to refuse. */
  stopped: Record<Layer, number>;
  /** Units charged for calls that a later layer refused. */
  chargedThenRefused: Record<Layer, number>;
  /** Round trips to Redis, summed over all calls. */
  roundTrips: number;
}

export interface LayeredDecision extends LayeredCall {
  allowed: boolean;
  /** The first layer that refused. Null for an admitted call. */
  stoppedBy: Layer | null;
  /** The charged layers. */
  charged: Layer[];
  /** Wait that the refusing layer returned. 0 for an admitted call. */
  retryAfterMs: number;
  /** Wait of an admitted call in the gateway's queue. */
  delayMs: number;
}

/** Creates the comparison of layered limits. Every layer counts a call at its arrival time. */
export function createCompareLayers({ runExperiment }: { runExperiment: RunExperiment }) {
  return function compareLayers({ calls, limits, signal }: LayersInput): Promise<Layers> {
    return runExperiment({ signal }, async (experiment) => {
      const ordered = calls.toSorted((one, other) => one.at - other.at);
      return {
        together: await decideTogether(experiment, ordered, limits),
        apart: await decideApart(experiment, ordered, limits),
      };
    });
  };
}

const origin = clockOrigin(1);

async function decideTogether(
  experiment: Experiment,
  calls: readonly LayeredCall[],
  limits: LayerLimits,
): Promise<LayersSide> {
  const limiter = experiment.limiter();
  const policy = experimentPolicy(
    'together',
    layers.map((layer) => levelOf(layer, limits)),
  );
  const decisions = await mapInChunks(
    calls,
    async (call): Promise<LayeredDecision> => {
      const decision = await limiter.decideAt(origin + call.at, policy, subjectsOf(call));
      const stoppedBy = decision.allowed
        ? null
        : (layers.find((layer) => layer === decision.refusedBy.level) ?? null);
      return toLayeredDecision(call, { decision, stoppedBy, charged: decision.allowed ? [...layers] : [] });
    },
    experiment,
  );
  return summarizeSide(decisions, limiter.roundTrips());
}

async function decideApart(
  experiment: Experiment,
  calls: readonly LayeredCall[],
  limits: LayerLimits,
): Promise<LayersSide> {
  const limiter = experiment.limiter();
  const decisions = new Map<LayeredCall, LayeredDecision>();
  // Layers are independent, so all calls can pass one layer before the next layer starts.
  let arrived = calls;
  for (const layer of layers) {
    const policy: ResolvedPolicy<unknown> = experimentPolicy(`apart.${layer}`, [levelOf(layer, limits)]);
    const passed = await mapInChunks(
      arrived,
      async (call) => {
        const decision = await limiter.decideAt(origin + call.at, policy, subjectsOf(call));
        const before = decisions.get(call);
        const charged = [...(before?.charged ?? []), ...(decision.allowed ? [layer] : [])];
        const stoppedBy = decision.allowed ? null : layer;
        const { delayMs, ...after } = toLayeredDecision(call, { decision, stoppedBy, charged });
        decisions.set(call, {
          ...after,
          delayMs: decision.allowed ? Math.max(before?.delayMs ?? 0, delayMs) : 0,
        });
        return decision.allowed;
      },
      experiment,
    );
    arrived = arrived.filter((_call, index) => passed[index]);
  }
  return summarizeSide(
    calls.flatMap((call) => decisions.get(call) ?? []),
    limiter.roundTrips(),
  );
}

function levelOf(layer: Layer, limits: LayerLimits) {
  const { limit, windowMs } = limits[layer];
  const algorithm = layer === 'gateway' ? ('leaky-bucket' as const) : ('sliding-log' as const);
  // `decideAt` receives the subjects. `by` only declares that the level has some.
  return { level: layer, algorithm, limit, windowMs, ...(layer !== 'user' && { by: () => layer }) };
}

function subjectsOf({ address, user }: LayeredCall): Record<Layer, string> {
  return { gateway: `address ${address}`, api: 'everybody', user: `user ${user}` };
}

function toLayeredDecision(
  { at, address, user }: LayeredCall,
  { decision, stoppedBy, charged }: { decision: Decision; stoppedBy: Layer | null; charged: Layer[] },
): LayeredDecision {
  return {
    at,
    address,
    user,
    allowed: decision.allowed,
    stoppedBy,
    charged,
    retryAfterMs: decision.allowed ? 0 : (decision.refusedBy.retryAfterMs ?? 0),
    delayMs: decision.allowed ? decision.delayMs : 0,
  };
}

function summarizeSide(decisions: LayeredDecision[], roundTrips: number): LayersSide {
  const refused = decisions.filter(({ allowed }) => !allowed);
  const countOf = (counts: (decision: LayeredDecision, layer: Layer) => boolean): Record<Layer, number> => {
    const count = (layer: Layer) => refused.filter((decision) => counts(decision, layer)).length;
    return { gateway: count('gateway'), api: count('api'), user: count('user') };
  };
  return {
    decisions,
    admitted: decisions.length - refused.length,
    stopped: countOf(({ stoppedBy }, layer) => stoppedBy === layer),
    chargedThenRefused: countOf(({ charged }, layer) => charged.includes(layer)),
    roundTrips,
  };
}
