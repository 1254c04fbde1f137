import { awaitReply, type Experiment, type RunExperiment } from '../experiments/experiment';
import { clockOrigin, experimentPolicy } from '../experiments/experiment-limiter';
import { settleAll } from '../experiments/map-in-chunks';
import type { RedisClient } from '../redis/client';
import type { KeySnapshot } from './key-snapshots';
import { readKeySnapshots } from './key-snapshots';
import { addFirst, addHit, type CountedSend, countHits, createCountedSend } from './naive-log';

/** Implementations that concurrent calls use. */
export const raceVariants = ['four-commands', 'timestamp-member', 'product'] as const;
export type RaceVariant = (typeof raceVariants)[number];

export interface RaceInput {
  limit: number;
  windowMs: number;
  /** Number of concurrent calls. */
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
  /** Number of hits in the log after the last decision. */
  logged: number;
  /** Round trips of an admitted call. */
  roundTrips: number;
  durationMs: number;
  keys: KeySnapshot[];
}

/** Each connection represents one node. */
const RACE_CONNECTIONS = 8;

/**
 * Creates the race: calls in one millisecond of the experiment's clock, over several connections. Their interleaving is
 * deterministic: every race condition occurs, because a network can cause each of them at any time.
 */
export function createRace({ runExperiment }: { runExperiment: RunExperiment }) {
  return function race({ variant, signal, ...input }: RaceInput): Promise<Race> {
    return runExperiment({ signal, connections: RACE_CONNECTIONS }, async (experiment) => {
      const now = clockOrigin(input.windowMs);
      const started = performance.now();
      const { admitted, logged, roundTrips } = await racers[variant](experiment, { ...input, now });
      const durationMs = performance.now() - started;
      const packedBy = variant === 'product' ? 'sliding-log' : undefined;
      return {
        variant,
        limit: input.limit,
        concurrency: input.concurrency,
        admitted,
        refused: input.concurrency - admitted,
        logged,
        roundTrips,
        durationMs,
        keys: await readKeySnapshots(experiment, experiment.keys(), { origin: now, packedBy }),
      };
    });
  };
}

interface RaceSetup {
  limit: number;
  windowMs: number;
  concurrency: number;
  /** Time of all calls, epoch ms. */
  now: number;
}

interface RaceResult {
  admitted: number;
  logged: number;
  roundTrips: number;
}

const racers = {
  /** Every call counts before the first call adds its hit. */
  async 'four-commands'({ clients, key }, { limit, concurrency, ...call }) {
    const log = key('four-commands');
    const calls = spreadCalls(clients, concurrency).map(({ client, index }) => ({
      call: { client, key: log, member: `${call.now}-${index}`, ...call },
      send: createCountedSend(),
    }));
    const counts = await settleAll(calls.map(({ call, send }) => countHits(call, send)));
    const admitted = calls.filter((_call, index) => (counts[index] ?? 0) < limit);
    await settleAll(admitted.map(({ call, send }) => addHit(call, send)));
    return {
      admitted: admitted.length,
      logged: await awaitReply(clients[0].zcard(log)),
      roundTrips: maxRoundTrips(calls.map(({ send }) => send)),
    };
  },

  /** Each call is one transaction, but hits of the same millisecond have the same member. */
  async 'timestamp-member'({ clients, key }, { limit, concurrency, ...call }) {
    const log = key('timestamp-member');
    const sends: CountedSend[] = [];
    const results = await settleAll(
      spreadCalls(clients, concurrency).map(({ client }) => {
        const send = createCountedSend();
        sends.push(send);
        return addFirst({ client, key: log, limit, member: String(call.now), ...call }, send);
      }),
    );
    return {
      admitted: results.filter(({ count }) => count <= limit).length,
      logged: await awaitReply(clients[0].zcard(log)),
      roundTrips: maxRoundTrips(sends),
    };
  },

  /** Each call is one script call. */
  async product(experiment, { limit, windowMs, concurrency, now }) {
    const { clients } = experiment;
    const policy = experimentPolicy('race', [{ level: 'global', limit, windowMs }]);
    const limiters = new Map(clients.map((client) => [client, experiment.limiter(client)]));
    const decisions = await settleAll(
      spreadCalls(clients, concurrency).map(({ client }) => {
        const limiter = limiters.get(client) ?? experiment.limiter(client);
        return limiter.decideAt(now, policy);
      }),
    );
    const roundTrips = [...limiters.values()].reduce((sum, limiter) => sum + limiter.roundTrips(), 0);
    return {
      admitted: decisions.filter(({ allowed }) => allowed).length,
      logged: Math.max(...decisions.map(({ levels: [level] }) => level?.used ?? 0)),
      roundTrips: roundTrips / concurrency,
    };
  },
} satisfies Record<RaceVariant, (experiment: Experiment, start: RaceSetup) => Promise<RaceResult>>;

function spreadCalls(
  clients: Experiment['clients'],
  concurrency: number,
): { client: RedisClient; index: number }[] {
  return Array.from({ length: concurrency }, (_, index) => ({
    client: clients[index % clients.length] ?? clients[0],
    index,
  }));
}

function maxRoundTrips(sends: readonly CountedSend[]): number {
  return Math.max(...sends.map((send) => send.roundTrips()));
}
