import type { Decision, ResolvedPolicy } from '../limiter';
import type { Conduct, Experiment } from './experiment';
import { inChunks } from './in-chunks';
import { clockOrigin } from './lab-clock';
import { labPolicy } from './lab-limiter';

export const layers = ['gateway', 'api', 'user'] as const;
export type Layer = (typeof layers)[number];

export interface LayeredCall {
  /** In ms on the lab's clock. */
  at: number;
  /** Which address it comes from. */
  address: number;
  /** Who calls. */
  user: number;
}

export type LayerLimits = Record<Layer, { limit: number; windowMs: number }>;

export interface LayersOrder {
  /** In any order. */
  calls: readonly LayeredCall[];
  /** gateway: a leaky bucket per address; api: a sliding log of everybody; user: a sliding log per user. */
  limits: LayerLimits;
  signal?: AbortSignal | undefined;
}

/** The same calls before three limits: as one decision, and as three. */
export interface Layers {
  /** One policy with three levels: all are charged or none. */
  together: LayersSide;
  /** Three policies, one after the other: what stood before the refusal stays charged. */
  apart: LayersSide;
}

export interface LayersSide {
  /** In the order of time. */
  decisions: LayeredDecision[];
  admitted: number;
  /** How many calls each layer was the first to refuse. */
  stopped: Record<Layer, number>;
  /** Units charged for calls that were refused all the same. */
  chargedInVain: Record<Layer, number>;
  /** Round trips to Redis of all calls together. */
  roundTrips: number;
}

export interface LayeredDecision extends LayeredCall {
  allowed: boolean;
  /** The first layer that refused; null of an admitted call. */
  stoppedBy: Layer | null;
  /** The layers that were charged. */
  charged: Layer[];
  /** What the layer that refused says; 0 of an admitted call. */
  retryAfterMs: number;
  /** How long an admitted call waits for its turn at the gateway. */
  delayMs: number;
}

/** Sends calls through a gateway, an API and a user's own limit. All layers count a call at the instant it comes. */
export function createLayers({ conduct }: { conduct: Conduct }) {
  return function compareLayers({ calls, limits, signal }: LayersOrder): Promise<Layers> {
    return conduct({ signal }, async (experiment) => {
      const ordered = calls.toSorted((one, other) => one.at - other.at);
      return {
        together: await decideTogether(experiment, ordered, limits),
        apart: await decideApart(experiment, ordered, limits),
      };
    });
  };
}

const start = clockOrigin(1);

async function decideTogether(
  experiment: Experiment,
  calls: readonly LayeredCall[],
  limits: LayerLimits,
): Promise<LayersSide> {
  const limiter = experiment.limiter();
  const policy = labPolicy(
    'together',
    layers.map((layer) => levelOf(layer, limits)),
  );
  const decisions = await inChunks(
    calls,
    async (call): Promise<LayeredDecision> => {
      const subjects = layers.map((layer) => subjectOf(layer, call));
      const decision = await limiter.decideAt(start + call.at, policy, subjects);
      const stoppedBy = decision.allowed
        ? null
        : (layers.find((layer) => layer === decision.refusedBy.level) ?? null);
      return layered(call, { decision, stoppedBy, charged: decision.allowed ? [...layers] : [] });
    },
    experiment,
  );
  return sideOf(decisions, limiter.roundTrips());
}

async function decideApart(
  experiment: Experiment,
  calls: readonly LayeredCall[],
  limits: LayerLimits,
): Promise<LayersSide> {
  const limiter = experiment.limiter();
  const decisions = new Map<LayeredCall, LayeredDecision>();
  // A layer knows nothing of the others, so that all calls may pass one before any reaches the next.
  let arrived = calls;
  for (const layer of layers) {
    const policy: ResolvedPolicy<unknown> = labPolicy(`apart.${layer}`, [levelOf(layer, limits)]);
    const passed = await inChunks(
      arrived,
      async (call) => {
        const decision = await limiter.decideAt(start + call.at, policy, [subjectOf(layer, call)]);
        const before = decisions.get(call);
        const charged = [...(before?.charged ?? []), ...(decision.allowed ? [layer] : [])];
        const stoppedBy = decision.allowed ? null : layer;
        const { delayMs, ...after } = layered(call, { decision, stoppedBy, charged });
        decisions.set(call, {
          ...after,
          delayMs: decision.allowed ? Math.max(before?.delayMs ?? 0, delayMs) : 0,
        });
        return decision.allowed;
      },
      experiment,
    );
    arrived = arrived.filter((_call, place) => passed[place]);
  }
  return sideOf(
    calls.flatMap((call) => decisions.get(call) ?? []),
    limiter.roundTrips(),
  );
}

function levelOf(layer: Layer, limits: LayerLimits) {
  const { limit, windowMs } = limits[layer];
  const algorithm = layer === 'gateway' ? ('leaky-bucket' as const) : ('sliding-log' as const);
  // Subjects are given with each call; `by` only says that there are some.
  return { level: layer, algorithm, limit, windowMs, ...(layer !== 'user' && { by: () => layer }) };
}

function subjectOf(layer: Layer, { address, user }: LayeredCall): string {
  const subjects = { gateway: `address ${address}`, api: 'everybody', user: `user ${user}` };
  return subjects[layer];
}

function layered(
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
    retryAfterMs: decision.allowed ? 0 : decision.refusedBy.retryAfterMs,
    delayMs: decision.allowed ? decision.delayMs : 0,
  };
}

function sideOf(decisions: LayeredDecision[], roundTrips: number): LayersSide {
  const refused = decisions.filter(({ allowed }) => !allowed);
  const countOf = (counts: (decision: LayeredDecision, layer: Layer) => boolean): Record<Layer, number> => {
    const count = (layer: Layer) => refused.filter((decision) => counts(decision, layer)).length;
    return { gateway: count('gateway'), api: count('api'), user: count('user') };
  };
  return {
    decisions,
    admitted: decisions.length - refused.length,
    stopped: countOf(({ stoppedBy }, layer) => stoppedBy === layer),
    chargedInVain: countOf(({ charged }, layer) => charged.includes(layer)),
    roundTrips,
  };
}
