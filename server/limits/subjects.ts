import { z } from 'zod';
import { type DecisionOutcome, withinStoreTimeout } from '../limiter';
import type { RedisClient } from '../redis/client';
import { subjectsKey } from '../redis/keys';
import { createFullestSubjects, type FullestSubject } from './fullest-subjects';
import { createRefusedSubjects, type RefusedAtLevel, type RefusedSubject } from './refused-subjects';
import { mergeSummaries } from './space-saving';

/** Who stands out among those whom limits count, on all nodes. Nothing personal leaves a node but masks. */
export interface Subjects {
  /** Notes a decision. Nothing is asked. */
  count(outcome: DecisionOutcome): void;
  /** Tells the other nodes. To be called every second or two. */
  share(): Promise<void>;
  /** Who was refused most of late, most first. Throws `StoreUnavailableError`. */
  refused(nodes: readonly string[]): Promise<RefusedSubject[]>;
  /** Whose window is fullest, one for each level where anybody is known. Throws `StoreUnavailableError`. */
  fullest(nodes: readonly string[]): Promise<FullestSubject[]>;
}

export interface SubjectsOptions {
  redis: RedisClient;
  /** This node's name. */
  node: string;
  /** Redis's clock, as far as this node knows it. */
  storeNow: () => number;
  /** In ms since whenever; nobody sets it. Default: `performance.now()`. */
  elapsed?: () => number;
}

/** What a node that is gone has told is forgotten after this time. */
const LIVES_MS = 10 * 60 * 1000;
const WAIT_MS = 250;

const tallied = z.object({ ref: z.string(), subject: z.string(), atLeast: z.number(), atMost: z.number() });
const told = z.object({
  refused: z.array(
    z.object({
      policy: z.string(),
      level: z.string(),
      summary: z.object({ entries: z.array(tallied), othersAtMost: z.number() }),
    }),
  ),
  fullest: z.array(
    z.object({
      ...{ policy: z.string(), level: z.string(), ref: z.string(), subject: z.string() },
      ...{ used: z.number(), until: z.number() },
    }),
  ),
}) satisfies z.ZodType<Told>;

interface Told {
  refused: RefusedAtLevel[];
  fullest: FullestSubject[];
}

export function createSubjects({
  redis,
  node,
  storeNow,
  elapsed = () => performance.now(),
}: SubjectsOptions): Subjects {
  const refused = createRefusedSubjects({ elapsed });
  const fullest = createFullestSubjects();
  let shared = '';

  async function read(nodes: readonly string[]): Promise<Told[]> {
    if (nodes.length === 0) return [];
    const texts = await withinStoreTimeout(redis.mget(nodes.map(subjectsKey)), WAIT_MS);
    return texts.flatMap((text) => {
      // A node of another version may tell it in another form.
      const { data } = told.safeParse(text === null ? null : JSON.parse(text));
      return data ? [data] : [];
    });
  }

  return {
    count(outcome) {
      refused.count(outcome);
      fullest.count(outcome);
    },

    async share() {
      const text = JSON.stringify({ refused: refused.list(), fullest: fullest.list() } satisfies Told);
      const key = subjectsKey(node);
      // A Redis that was emptied has nothing whose life could be prolonged, and is told again.
      const stands =
        text === shared && (await withinStoreTimeout(redis.pexpire(key, LIVES_MS), WAIT_MS)) === 1;
      if (!stands) await withinStoreTimeout(redis.set(key, text, 'PX', LIVES_MS), WAIT_MS);
      shared = text;
    },

    async refused(nodes) {
      const levels = (await read(nodes)).flatMap((one) => one.refused);
      const names = [...new Set(levels.map(({ policy, level }) => `${policy}|${level}`))];
      return names
        .flatMap((name) => {
          const same = levels.filter(({ policy, level }) => `${policy}|${level}` === name);
          const [{ policy, level } = { policy: '', level: '' }] = same;
          const { entries } = mergeSummaries(same.map(({ summary }) => summary));
          return entries.map((entry) => ({ policy, level, ...entry }));
        })
        .sort((one, other) => other.atLeast - one.atLeast);
    },

    async fullest(nodes) {
      const now = storeNow();
      const found = new Map<string, FullestSubject>();
      for (const one of (await read(nodes)).flatMap((each) => each.fullest)) {
        const key = `${one.policy}|${one.level}`;
        const known = found.get(key);
        if (one.until > now && !(known && known.used >= one.used)) found.set(key, one);
      }
      return [...found.values()];
    },
  };
}
