import { z } from 'zod';
import { type DecisionOutcome, maskSubject, withinStoreTimeout } from '../limiter/index';
import type { RedisClient } from '../redis/client';
import { subjectsKey } from '../redis/keys';
import { createRefusedSubjects, type RefusedAtLevel, type RefusedSubject } from './refused-subjects';
import { mergeSummaries } from './space-saving';

/** Statistics of the subjects on all nodes: the most refused, and the top subjects by usage. Nodes publish pseudonyms and
 * masked subjects, never a subject. */
export interface SubjectStats {
  /** Counts a decision in memory. */
  count(outcome: DecisionOutcome): void;
  /** Publishes the statistics of this node. Call it every second or two. */
  publishStats(): Promise<void>;
  /** Reads the most refused subjects, most refused first. Throws `StoreUnavailableError`. */
  readRefused(nodes: readonly string[]): Promise<RefusedSubject[]>;
  /** Reads the top subject of each level that has one. Throws `StoreUnavailableError`. */
  readTop(nodes: readonly string[]): Promise<TopSubject[]>;
}

export interface SubjectStatsOptions {
  redis: RedisClient;
  /** The name of this node. */
  node: string;
  /** Redis's clock in epoch ms, as this node estimates it. */
  storeNow: () => number;
  /** A monotonic clock in ms. Default: `performance.now()`. */
  elapsed?: () => number;
}

/** Lifetime of the statistics of a dead node. */
const LIFETIME_MS = 10 * 60 * 1000;
const STORE_TIMEOUT_MS = 250;

const countBounds = z.object({
  ref: z.string(),
  subject: z.string(),
  atLeast: z.number(),
  atMost: z.number(),
});
/** The stored counts. Their field names are shared with nodes of other versions. */
const nodeStatsSchema = z.object({
  refused: z.array(
    z.object({
      policy: z.string(),
      level: z.string(),
      refusedBy: z.string().optional(),
      summary: z.object({ entries: z.array(countBounds), othersAtMost: z.number() }),
    }),
  ),
  fullest: z.array(
    z.object({
      ...{ policy: z.string(), level: z.string(), ref: z.string(), subject: z.string() },
      ...{ used: z.number(), until: z.number() },
    }),
  ),
}) satisfies z.ZodType<{ refused: RefusedAtLevel[]; fullest: TopSubject[] }>;

interface NodeStats {
  refused: RefusedAtLevel[];
  top: TopSubject[];
}

/** Counts subjects in the memory of this node, and shares the counts through Redis. Timeout of Redis: 250 ms. */
export function createSubjectStats({
  redis,
  node,
  storeNow,
  elapsed = () => performance.now(),
}: SubjectStatsOptions): SubjectStats {
  const refused = createRefusedSubjects({ elapsed });
  const top = createTopSubjects();
  let published = '';

  async function readStats(nodes: readonly string[]): Promise<NodeStats[]> {
    if (nodes.length === 0) return [];
    const texts = await withinStoreTimeout(redis.mget(nodes.map(subjectsKey)), STORE_TIMEOUT_MS);
    return texts.flatMap((text) => {
      // A node of another version may publish another format.
      const { data } = nodeStatsSchema.safeParse(text === null ? null : JSON.parse(text));
      return data ? [{ refused: data.refused, top: data.fullest }] : [];
    });
  }

  return {
    count(outcome) {
      refused.count(outcome);
      top.count(outcome);
    },

    async publishStats() {
      const text = JSON.stringify({
        refused: refused.list(),
        fullest: top.list(),
      } satisfies z.input<typeof nodeStatsSchema>);
      const key = subjectsKey(node);
      // An unchanged text only needs a longer lifetime, unless the key is missing because Redis was emptied.
      const isPublished =
        text === published &&
        (await withinStoreTimeout(redis.pexpire(key, LIFETIME_MS), STORE_TIMEOUT_MS)) === 1;
      if (!isPublished) await withinStoreTimeout(redis.set(key, text, 'PX', LIFETIME_MS), STORE_TIMEOUT_MS);
      published = text;
    },

    async readRefused(nodes) {
      const levels = (await readStats(nodes)).flatMap((one) => one.refused);
      const nameOf = ({ policy, level, refusedBy }: RefusedAtLevel) =>
        `${policy}|${level}|${refusedBy ?? ''}`;
      const names = [...new Set(levels.map(nameOf))];
      return names
        .flatMap((name) => {
          const same = levels.filter((one) => nameOf(one) === name);
          const [{ policy, level, refusedBy } = { policy: '', level: '' }] = same;
          const { entries } = mergeSummaries(same.map(({ summary }) => summary));
          return entries.map((entry) => ({ policy, level, ...(refusedBy && { refusedBy }), ...entry }));
        })
        .sort((one, other) => other.atLeast - one.atLeast);
    },

    async readTop(nodes) {
      const now = storeNow();
      const found = new Map<string, TopSubject>();
      for (const one of (await readStats(nodes)).flatMap((each) => each.top)) {
        const key = `${one.policy}|${one.level}`;
        const known = found.get(key);
        if (one.until > now && !(known && known.used >= one.used)) found.set(key, one);
      }
      return [...found.values()];
    },
  };
}

/** The subject with the fullest window of a level, among the decisions of a node. */
export interface TopSubject {
  policy: string;
  level: string;
  /** The pseudonym of the subject. */
  ref: string;
  /** Masked. */
  subject: string;
  /** Units in the window at the last decision. */
  used: number;
  /** End of the window of the newest unit, epoch ms by Redis's clock. */
  until: number;
}

/** Keeps the top subject of each level: the one with the most units in a window that has not ended. */
function createTopSubjects() {
  const tops = new Map<string, TopSubject>();

  return {
    count({ policy, decision, counted }: DecisionOutcome): void {
      if (!decision || decision.degraded) return;
      for (const { level, used, windowMs } of decision.levels) {
        const caller = counted.find((one) => one.level === level);
        if (level === 'global' || caller?.subject === undefined) continue;
        const key = `${policy}|${level}`;
        const known = tops.get(key);
        // The newest count of the same subject replaces an older one: units may have left the window.
        const isFuller = known && known.until > decision.now && known.used > used;
        if (isFuller && known.ref !== caller.pseudonym) continue;
        const subject = known?.ref === caller.pseudonym ? known.subject : maskSubject(caller.subject);
        tops.set(key, {
          policy,
          level,
          ref: caller.pseudonym,
          subject,
          used,
          until: decision.now + windowMs,
        });
      }
    },

    list: (): TopSubject[] => [...tops.values()],
  };
}
