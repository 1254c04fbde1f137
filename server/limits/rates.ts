import type { DecisionOutcome } from '../limiter';
import type { RedisClient } from '../redis/client';
import { ratesKey } from '../redis/keys';
import { catalogue } from './catalogue';

/** Decisions of one level since the fleet first ran; they never fall. */
export interface Rates {
  policy: string;
  level: string;
  admitted: number;
  refused: number;
  banned: number;
  degraded: number;
}

/** Counts this node's decisions and shares them with the fleet. */
export interface RateCounter {
  count(outcome: DecisionOutcome): void;
  /** Writes this node's totals where the others read them. To be called at least once a second. */
  share(): Promise<void>;
  /** The whole fleet's totals. */
  read(): Promise<Rates[]>;
}

type Outcome = Exclude<keyof Rates, 'policy' | 'level'>;
const outcomes: readonly Outcome[] = ['admitted', 'refused', 'banned', 'degraded'];
const rows = catalogue.flatMap(({ name, levels }) => levels.map(({ level }) => ({ policy: name, level })));

/**
 * Each node writes totals, not increments, so that a lost reply or an emptied Redis costs nothing: the next write puts
 * them right. A restarted node goes on from what stands there under its name.
 */
export function createRateCounter({ redis, node }: { redis: RedisClient; node: string }): RateCounter {
  const own = new Map<string, number>();
  const shown = new Map<string, number>();
  let base: Map<string, number> | undefined;

  const add = (policy: string, level: string, outcome: Outcome) => {
    const field = `${policy}|${level}|${outcome}`;
    own.set(field, (own.get(field) ?? 0) + 1);
  };

  return {
    count({ policy, decision }) {
      if (!decision) return;
      if (!decision.allowed) return add(policy, decision.refusedBy.level, 'refused');
      const levels = catalogue.find(({ name }) => name === policy)?.levels ?? [];
      for (const { level } of levels) add(policy, level, decision.degraded ? 'degraded' : 'admitted');
    },

    async share() {
      base ??= ownFields(await redis.hgetall(ratesKey), node);
      const fields = new Map<string, number>();
      for (const [field, count] of base) fields.set(`${node}|${field}`, count);
      for (const [field, count] of own) fields.set(`${node}|${field}`, count + (base.get(field) ?? 0));
      if (fields.size > 0) await redis.hset(ratesKey, fields);
    },

    async read() {
      const totals = new Map<string, number>();
      for (const [field, count] of Object.entries(await redis.hgetall(ratesKey))) {
        const total = field.slice(field.indexOf('|') + 1);
        totals.set(total, (totals.get(total) ?? 0) + Number(count));
      }
      return rows.map(({ policy, level }) => {
        const totalOf = (outcome: Outcome) => {
          const field = `${policy}|${level}|${outcome}`;
          const total = Math.max(totals.get(field) ?? 0, shown.get(field) ?? 0);
          shown.set(field, total);
          return [outcome, total] as const;
        };
        return { policy, level, ...(Object.fromEntries(outcomes.map(totalOf)) as Record<Outcome, number>) };
      });
    },
  };
}

function ownFields(all: Record<string, string>, node: string): Map<string, number> {
  const own = Object.entries(all).filter(([field]) => field.startsWith(`${node}|`));
  return new Map(own.map(([field, count]) => [field.slice(node.length + 1), Number(count)]));
}
