import { z } from 'zod';
import type { DecisionOutcome } from '../limiter/index';
import type { PolicyRegistry } from '../limits/policy-registry';
import type { RedisClient } from '../redis/client';
import { heartbeatsKey } from '../redis/keys';
import { EVERY_LEVEL, latencyTotal, nameOfTotal, type Outcome, outcomes, timeTotal } from './totals';

/** Decision totals of one level since the first start of the fleet. They never decrease. */
export interface DecisionTotals {
  policy: string;
  level: string;
  admitted: number;
  refused: number;
  banned: number;
  degraded: number;
}

/** Counts the decisions of this node, and reads the totals that all nodes send with their heartbeats. */
export interface DecisionCounter {
  count(outcome: DecisionOutcome): void;
  /** Returns a copy of the totals of this run by name, for the heartbeat. */
  ownTotals(): Map<string, number>;
  /** Subtracts totals of this node that the sum of the dead nodes already has. */
  subtract(sent: ReadonlyMap<string, number>): void;
  /** Reads the totals of the fleet: one row for each level of these policies. */
  readTotals(policies: PolicyRegistry): Promise<DecisionTotals[]>;
}

const entry = z.object({ totals: z.record(z.string(), z.number()) });

/** Creates the decision counter of this node. Each run of a process counts from 0. */
export function createDecisionCounter({ redis }: { redis: RedisClient }): DecisionCounter {
  const totals = new Map<string, number>();
  const shown = new Map<string, number>();

  function add(name: string, count = 1): void {
    totals.set(name, (totals.get(name) ?? 0) + count);
  }

  return {
    count({ policy, decision, durationMs }) {
      // A shed call has no decision time.
      if (durationMs > 0) {
        add(latencyTotal(durationMs));
        add(timeTotal(policy), Math.round(durationMs * 1_000));
      }
      if (!decision) return;
      const addTo = (level: string, outcome: Outcome) => add(nameOfTotal({ policy, level }, outcome));
      if (!decision.allowed) {
        return addTo(decision.refusedBy.level, decision.reason === 'banned' ? 'banned' : 'refused');
      }
      if (!decision.degraded) for (const { level } of decision.levels) addTo(level, 'admitted');
      else if (decision.levels.length === 0) addTo(EVERY_LEVEL, 'degraded');
      else for (const { level } of decision.levels) addTo(level, 'degraded');
    },

    ownTotals: () => new Map(totals),

    subtract(sent) {
      for (const [name, count] of sent) totals.set(name, (totals.get(name) ?? 0) - count);
    },

    async readTotals(policies) {
      const { since: _since, ...entries } = await redis.hgetall(heartbeatsKey);
      const fleetTotals = new Map<string, number>();
      for (const json of Object.values(entries)) {
        for (const [name, count] of Object.entries(entry.parse(JSON.parse(json)).totals)) {
          fleetTotals.set(name, (fleetTotals.get(name) ?? 0) + count);
        }
      }
      const totalOf = (policy: string, level: string, outcome: Outcome) => {
        const name = nameOfTotal({ policy, level }, outcome);
        const ofAll = fleetTotals.get(nameOfTotal({ policy, level: EVERY_LEVEL }, outcome)) ?? 0;
        const total = Math.max((fleetTotals.get(name) ?? 0) + ofAll, shown.get(name) ?? 0);
        shown.set(name, total);
        return total;
      };
      return policies.flatMap(({ name: policy, levels }) =>
        levels.map(({ level }) => {
          const counts = outcomes.map((outcome) => [outcome, totalOf(policy, level, outcome)] as const);
          return { policy, level, ...(Object.fromEntries(counts) as Record<Outcome, number>) };
        }),
      );
    },
  };
}
