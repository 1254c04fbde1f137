import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { DecisionOutcome } from '../limiter';
import { defineScript } from '../lua-scripts';
import type { RedisClient } from '../redis/client';
import { nodesKey, ratesKey } from '../redis/keys';
import type { Catalogue } from './catalogue';

/** Decisions of one level since the fleet first ran; they never fall. */
export interface Rates {
  policy: string;
  level: string;
  admitted: number;
  refused: number;
  banned: number;
  degraded: number;
}

/** Counts this node's decisions, shares them with the fleet, and learns by that how large the fleet is. */
export interface RateCounter {
  count(outcome: DecisionOutcome): void;
  /** Writes this node's totals where the others read them. To be called at least once a second. */
  share(): Promise<void>;
  /** The whole fleet's totals, a row for each level of these policies. */
  read(catalogue: Catalogue): Promise<Rates[]>;
  /** How many nodes share their totals, this one among them; what it was when Redis last answered. */
  nodes(): number;
}

export interface RateCounterOptions {
  redis: RedisClient;
  /** This node's name: no other's, and the same across its restarts. */
  node: string;
  /** How long after its last word a node counts as one of the fleet, in ms. Default: 3 s. */
  heardMs?: number;
  /** After so long a silence, in ms, a node's totals go to those of all nodes that are no more. Default: 1 minute. */
  goneMs?: number;
}

type Outcome = Exclude<keyof Rates, 'policy' | 'level'>;
const outcomes: readonly Outcome[] = ['admitted', 'refused', 'banned', 'degraded'];

/** Stands for all levels of a policy where none is known. */
const EVERY_LEVEL = '*';

const entry = z.object({ totals: z.record(z.string(), z.number()) });
const shareReply = z.tuple([z.int().min(1), z.string(), z.literal([0, 1])]);

/**
 * Each node writes totals, not increments, so that a lost reply or an emptied Redis costs nothing: the next write puts
 * them right. Each run counts from 0; what an earlier run or a node that is gone has left is kept as one sum.
 */
export function createRateCounter({
  redis,
  node,
  heardMs = 3_000,
  goneMs = 60_000,
}: RateCounterOptions): RateCounter {
  const shareRates = defineScript(redis, {
    command: 'floodgateShareRates',
    file: 'limits/share-rates.lua',
    numberOfKeys: 2,
  });
  const own = new Map<string, number>();
  const shown = new Map<string, number>();
  let run = randomUUID();
  let shared = new Map<string, number>();
  let since = '';
  let nodes = 1;

  function add(policy: string, level: string, outcome: Outcome): void {
    const name = nameOf({ policy, level }, outcome);
    own.set(name, (own.get(name) ?? 0) + 1);
  }

  async function share(): Promise<void> {
    const totals = new Map(own);
    const json = JSON.stringify(Object.fromEntries(totals));
    const reply = await shareRates([ratesKey, nodesKey], [node, run, since, json, heardMs, goneMs]);
    const [heard, begun, isForgotten] = shareReply.parse(reply);
    nodes = heard;
    since = begun;
    if (!isForgotten) {
      shared = totals;
      return;
    }
    // This node was silent for so long that its totals are among those of the dead: it goes on as a new one.
    for (const [name, count] of shared) own.set(name, (own.get(name) ?? 0) - count);
    run = randomUUID();
    shared = new Map();
    since = '';
    await share();
  }

  return {
    count({ policy, decision }) {
      if (!decision) return;
      if (!decision.allowed) {
        return add(policy, decision.refusedBy.level, decision.reason === 'banned' ? 'banned' : 'refused');
      }
      if (!decision.degraded) for (const { level } of decision.levels) add(policy, level, 'admitted');
      else if (decision.levels.length === 0) add(policy, EVERY_LEVEL, 'degraded');
      else for (const { level } of decision.levels) add(policy, level, 'degraded');
    },

    share,

    async read(catalogue) {
      const { since: _since, ...entries } = await redis.hgetall(ratesKey);
      const totals = new Map<string, number>();
      for (const json of Object.values(entries)) {
        for (const [name, count] of Object.entries(entry.parse(JSON.parse(json)).totals)) {
          totals.set(name, (totals.get(name) ?? 0) + count);
        }
      }
      const totalOf = (policy: string, level: string, outcome: Outcome) => {
        const name = nameOf({ policy, level }, outcome);
        const ofAll = totals.get(nameOf({ policy, level: EVERY_LEVEL }, outcome)) ?? 0;
        const total = Math.max((totals.get(name) ?? 0) + ofAll, shown.get(name) ?? 0);
        shown.set(name, total);
        return total;
      };
      return catalogue.flatMap(({ name: policy, levels }) =>
        levels.map(({ level }) => {
          const counts = outcomes.map((outcome) => [outcome, totalOf(policy, level, outcome)] as const);
          return { policy, level, ...(Object.fromEntries(counts) as Record<Outcome, number>) };
        }),
      );
    },

    nodes: () => nodes,
  };
}

function nameOf({ policy, level }: { policy: string; level: string }, outcome: Outcome): string {
  return `${policy}|${level}|${outcome}`;
}
