import type { Db } from '../db/client';
import { AppError } from '../errors';
import {
  type Limiter,
  type Mode,
  type Override,
  type ResolvedPolicy,
  StoreUnavailableError,
  withinStoreTimeout,
} from '../limiter';
import type { RedisClient } from '../redis/client';
import { hearChannel } from '../redis/hear-channel';
import { tunedChannel } from '../redis/keys';
import { checkedOverride } from './checked-override';
import { changeOverride, countChanges, readOverrides } from './override-rows';

/** What an operator asks for; what is absent stays as it is. */
export interface Change {
  limit?: number | undefined;
  windowMs?: number | undefined;
  mode?: Mode | undefined;
}

export interface UpdateOptions {
  policy: ResolvedPolicy<never>;
  level: string;
  change: Change;
  /** The user who asks for it. */
  who: string;
  why?: string | undefined;
}

/** Changes limits while they are in force, on all nodes. */
export interface Tuning {
  /** Puts in force on this node what Postgres holds. Call it before the node listens, and twice a second from then on. */
  refresh(): Promise<void>;
  /** Changes a level. Throws an `AppError` with the sentence of the limiter where the numbers make no sense. */
  update(options: UpdateOptions): Promise<Override>;
  /** Puts a level back to what its policy declares. */
  reset(options: Omit<UpdateOptions, 'change' | 'why'>): Promise<Override>;
  /** Reads what was just committed, and has every other node read it. */
  spread(): Promise<void>;
}

export interface TuningOptions {
  db: Db;
  /** Spreads the news. */
  redis: RedisClient;
  limiter: Pick<Limiter, 'override'>;
  log: { warn(fields: object, message: string): void };
}

/** News that are not out by then are left to the other nodes' polling. */
const PUBLISH_WAIT_MS = 250;

/**
 * Postgres holds the overrides. A change is told to all nodes over Redis, and each node reads Postgres; one that hears
 * nothing reads it twice a second all the same.
 */
export function createTuning({ db, redis, limiter, log }: TuningOptions): Tuning {
  let inForce = 0;
  const refresh = oneAtATime(async () => {
    if ((await countChanges(db)) === inForce) return;
    const overrides = await readOverrides(db);
    limiter.override(overrides);
    inForce = overrides.reduce((changes, { version }) => changes + version, 0);
  });

  async function tellAll(): Promise<void> {
    try {
      await withinStoreTimeout(redis.publish(tunedChannel, ''), PUBLISH_WAIT_MS);
    } catch (err) {
      if (!(err instanceof StoreUnavailableError)) throw err;
      log.warn({ err }, 'A tuned limit could not be told to the other nodes; they will find it.');
    }
  }

  /** What was committed is changed, whether or not it can be read and told right now. */
  async function spread(): Promise<void> {
    const reading = refresh().catch((err: unknown) => {
      log.warn({ err }, 'A tuned limit could not be read back; it will be.');
    });
    await Promise.all([reading, tellAll()]);
  }

  return {
    refresh,
    spread,

    async update({ policy, level, change, who, why }) {
      const override = await changeOverride(db, {
        policy: policy.name,
        level,
        who,
        what: 'limit.update',
        why,
        change: (before) => validated(policy, { ...before, ...given(change) }),
      });
      await spread();
      return override;
    },

    async reset({ policy, level, who }) {
      const override = await changeOverride(db, {
        policy: policy.name,
        level,
        who,
        what: 'limit.reset',
        change: (before) =>
          isDeclared(before) ? before : { policy: policy.name, level, version: before.version },
      });
      await spread();
      return override;
    },
  };
}

/** Reads anew whenever any node says that limits were tuned. */
export async function hearTuned(
  subscriber: RedisClient,
  { tuning, log }: { tuning: Pick<Tuning, 'refresh'>; log: TuningOptions['log'] },
): Promise<void> {
  await hearChannel(subscriber, {
    channel: tunedChannel,
    hear: () => {
      tuning
        .refresh()
        .catch((err: unknown) => log.warn({ err }, 'A tuned limit could not be read; it will be.'));
    },
    onLost: (err) => log.warn({ err }, 'Tuned limits are not heard of; they are found by looking.'),
  });
}

function given({ limit, windowMs, mode }: Change): Change {
  return {
    ...(limit !== undefined && { limit }),
    ...(windowMs !== undefined && { windowMs }),
    ...(mode !== undefined && { mode }),
  };
}

function isDeclared({ limit, windowMs, mode }: Override): boolean {
  return limit === undefined && windowMs === undefined && mode === undefined;
}

/** The override, which the policy can be counted by. */
function validated(policy: ResolvedPolicy<never>, override: Override): Override {
  const declared = policy.levels.find(({ level }) => level === override.level);
  if (!declared) throw new AppError('NOT_FOUND', `"${policy.name}" has no level "${override.level}".`);
  checkedOverride(policy, { ...declared, ...given(override) });
  return override;
}

/** Runs a job once more after the run under way, however often it is called meanwhile: a call sees what came before it. */
function oneAtATime(job: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return function runOnce() {
    next ??= running
      .catch(() => undefined)
      .then(() => {
        running = next ?? running;
        next = undefined;
        return job();
      });
    return next;
  };
}
