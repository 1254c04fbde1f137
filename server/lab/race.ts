import type { RedisClient } from '../redis/client';
import { type Asking, createAsking } from './asking';
import { answer, type Conduct, type Experiment } from './experiment';
import { allOf } from './in-chunks';
import type { KeyLook } from './key-look';
import { clockOrigin } from './lab-clock';
import { labPolicy } from './lab-limiter';
import { looksAt } from './look-at-key';
import { addFirst } from './naive/add-first';
import { addHit, countHits } from './naive/four-commands';

/** How the calls that race each other decide. */
export const raceVariants = ['four-commands', 'timestamp-member', 'product'] as const;
export type RaceVariant = (typeof raceVariants)[number];

export interface RaceOrder {
  limit: number;
  windowMs: number;
  /** How many calls at once. */
  concurrency: number;
  variant: RaceVariant;
  signal?: AbortSignal | undefined;
}

export interface Race {
  variant: RaceVariant;
  limit: number;
  concurrency: number;
  admitted: number;
  refused: number;
  /** How many hits the log holds when all have been decided. */
  logged: number;
  /** Round trips to Redis of a call that was admitted. */
  roundTrips: number;
  durationMs: number;
  keys: KeyLook[];
}

/** Calls that are spread over so many connections stand for as many nodes. */
const CONNECTIONS = 8;

/**
 * Sends calls that are all made in one millisecond of the lab's clock, over several connections. How they interleave is
 * no luck: calls that can be interrupted are, each where it hurts, which a network may do to them at any time.
 */
export function createRace({ conduct }: { conduct: Conduct }) {
  return function race({ variant, signal, ...order }: RaceOrder): Promise<Race> {
    return conduct({ signal, connections: CONNECTIONS }, async (experiment) => {
      const now = clockOrigin(order.windowMs);
      const started = performance.now();
      const { admitted, logged, roundTrips } = await racers[variant](experiment, { ...order, now });
      const durationMs = performance.now() - started;
      const packedBy = variant === 'product' ? 'sliding-log' : undefined;
      return {
        variant,
        limit: order.limit,
        concurrency: order.concurrency,
        admitted,
        refused: order.concurrency - admitted,
        logged,
        roundTrips,
        durationMs,
        keys: await looksAt(experiment, experiment.keys(), { origin: now, packedBy }),
      };
    });
  };
}

interface Start {
  limit: number;
  windowMs: number;
  concurrency: number;
  /** Epoch ms at which all of them call. */
  now: number;
}

interface Finish {
  admitted: number;
  logged: number;
  roundTrips: number;
}

const racers = {
  /** All have counted before the first adds. */
  async 'four-commands'({ clients, key }, { limit, concurrency, ...call }) {
    const log = key('four-commands');
    const calls = callsOver(clients, concurrency).map(({ client, place }) => ({
      call: { client, key: log, member: `${call.now}-${place}`, ...call },
      ask: createAsking(),
    }));
    const counts = await allOf(calls.map(({ call, ask }) => countHits(call, ask)));
    const admitted = calls.filter((_call, place) => (counts[place] ?? 0) < limit);
    await allOf(admitted.map(({ call, ask }) => addHit(call, ask)));
    return {
      admitted: admitted.length,
      logged: await answer(clients[0].zcard(log)),
      roundTrips: mostOf(calls.map(({ ask }) => ask)),
    };
  },

  /** Each in one transaction; but hits of one millisecond have one name. */
  async 'timestamp-member'({ clients, key }, { limit, concurrency, ...call }) {
    const log = key('timestamp-member');
    const asks: Asking[] = [];
    const found = await allOf(
      callsOver(clients, concurrency).map(({ client }) => {
        const ask = createAsking();
        asks.push(ask);
        return addFirst({ client, key: log, limit, member: String(call.now), ...call }, ask);
      }),
    );
    return {
      admitted: found.filter(({ count }) => count <= limit).length,
      logged: await answer(clients[0].zcard(log)),
      roundTrips: mostOf(asks),
    };
  },

  /** Each in one script. */
  async product(experiment, { limit, windowMs, concurrency, now }) {
    const { clients } = experiment;
    const policy = labPolicy('race', [{ level: 'global', limit, windowMs }]);
    const limiters = new Map(clients.map((client) => [client, experiment.limiter(client)]));
    const decisions = await allOf(
      callsOver(clients, concurrency).map(({ client }) => {
        const limiter = limiters.get(client) ?? experiment.limiter(client);
        return limiter.decideAt(now, policy);
      }),
    );
    const asked = [...limiters.values()].reduce((sum, limiter) => sum + limiter.roundTrips(), 0);
    return {
      admitted: decisions.filter(({ allowed }) => allowed).length,
      logged: Math.max(...decisions.map(({ levels: [level] }) => level?.used ?? 0)),
      roundTrips: asked / concurrency,
    };
  },
} satisfies Record<RaceVariant, (experiment: Experiment, start: Start) => Promise<Finish>>;

function callsOver(
  clients: Experiment['clients'],
  concurrency: number,
): { client: RedisClient; place: number }[] {
  return Array.from({ length: concurrency }, (_, place) => ({
    client: clients[place % clients.length] ?? clients[0],
    place,
  }));
}

function mostOf(asks: readonly Asking[]): number {
  return Math.max(...asks.map((ask) => ask.roundTrips()));
}
