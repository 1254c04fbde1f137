import type { Db } from '../db/client';
import { AppError } from '../errors';
import {
  applyOverride,
  type LevelValues,
  type Limiter,
  type Override,
  ownerOf,
  PolicyError,
  type ResolvedPolicy,
  StoreUnavailableError,
  validateOverride,
  withinStoreTimeout,
} from '../limiter/index';
import type { Log } from '../observability/log';
import type { RedisClient } from '../redis/client';
import { overridesChannel } from '../redis/keys';
import { subscribeChannel } from '../redis/subscribe-channel';
import { changeOverride, countChanges, readOverrides } from './override-rows';
import { MAX_LIFT_AGE_MS, readPersonChanges, readPersonOverrides } from './person-rows';
import type { PolicyRegistry } from './policy-registry';
import { createSetAside } from './set-aside';

export interface OverrideOptions {
  policy: ResolvedPolicy<never>;
  level: string;
  /** The other policies of a shared level. Each of them has to accept the values. Default: none. */
  sharing?: readonly ResolvedPolicy<never>[];
  change: LevelValues;
  /** Id of the user who changes the limit. */
  who: string;
  why?: string | undefined;
}

/** Overrides declared limits on all nodes, without a restart. */
export interface FleetOverrides {
  /** Applies the overrides of Postgres on this node. Call it before the node listens, and then every 500 ms. */
  refreshOverrides(): Promise<void>;
  /** Changes a level. Throws an `AppError` with the limiter's message for invalid values. */
  setOverride(options: OverrideOptions): Promise<Override>;
  /** Resets a level to its declared values. */
  resetOverride(options: Omit<OverrideOptions, 'change' | 'sharing'>): Promise<Override>;
  /** Closes or opens the queue behind a level. Throws NOT_FOUND for a level without one. */
  switchQueue(
    options: Pick<OverrideOptions, 'policy' | 'level' | 'who'> & { isClosed: boolean },
  ): Promise<void>;
  /** Applies the committed overrides on this node, and notifies the other nodes. */
  publishOverrides(): Promise<void>;
}

export interface FleetOverridesOptions {
  db: Db;
  /** Publishes the notifications. */
  redis: RedisClient;
  limiter: Pick<Limiter, 'setOverrides' | 'changeOverrides'>;
  /** The policies of this node. Default: the stored fields are checked alone. */
  policies?: PolicyRegistry;
  log: Pick<Log, 'warn'>;
}

/** The overrides that a node has applied. */
interface AppliedState {
  /** Start of the last read, in epoch ms: a monotonic clock stands still while a machine is suspended. */
  readAt: number;
  /** The sum of all versions. */
  changes: number;
  /** The version of each level. */
  versions: Versions;
}

type Versions = ReadonlyMap<string, number>;

function nameOf(policy: string, level: string): string {
  return `${policy}:${level}`;
}

/** Returns false if a version was lost, for example by a restored backup: changes since then are not known. */
function isLater(versions: Versions, former: Versions): boolean {
  return [...former].every(([name, version]) => (versions.get(name) ?? -1) >= version);
}

/** After this time the other nodes' polling has to find the change. */
const PUBLISH_TIMEOUT_MS = 250;

/**
 * Creates the overrides. Postgres holds them. A Redis message notifies all nodes of a change, and each node then reads
 * Postgres. Each node also polls Postgres every 500 ms, in case it misses the message.
 */
export function createFleetOverrides({
  db,
  redis,
  limiter,
  policies = [],
  log,
}: FleetOverridesOptions): FleetOverrides {
  const setAside = createSetAside({ policies, log });
  let applied: AppliedState | undefined;

  /** Returns the state from which this node may read changes only; `undefined` if it has to read everything. */
  function findBase(): AppliedState | undefined {
    const isRecent = applied && Math.abs(Date.now() - applied.readAt) < MAX_LIFT_AGE_MS;
    return isRecent ? applied : undefined;
  }

  const refreshOverrides = mergeRuns(async () => {
    const base = findBase();
    const readAt = Date.now();
    if (base && (await countChanges(db)) === base.changes) {
      base.readAt = readAt;
      return;
    }
    const overrides = await readOverrides(db);
    const kept = setAside.keepOverrides(overrides);
    const versions = new Map(overrides.map(({ policy, level, version }) => [nameOf(policy, level), version]));
    // Rules of subjects are read second: a change that commits in between is read twice, and never missed.
    if (base && isLater(versions, base.versions)) {
      const changed = overrides.flatMap(({ policy, level, version }) => {
        const since = base.versions.get(nameOf(policy, level)) ?? 0;
        return version === since ? [] : [{ policy, level, since }];
      });
      const persons = await readPersonChanges(db, changed);
      const applicable = new Set(setAside.keepPersons(persons));
      // A rule that does not apply still ends the one that it replaces.
      const ended = persons.flatMap((row) => (applicable.has(row) ? [] : [{ ...row, rule: undefined }]));
      limiter.changeOverrides(kept, [...applicable, ...setAside.keepPersons(ended)]);
    } else {
      const persons = await readPersonOverrides(db);
      limiter.setOverrides(kept, setAside.keepPersons(persons));
    }
    applied = {
      ...{ readAt, versions },
      changes: overrides.reduce((changes, { version }) => changes + version, 0),
    };
  });

  async function notifyNodes(): Promise<void> {
    try {
      await withinStoreTimeout(redis.publish(overridesChannel, ''), PUBLISH_TIMEOUT_MS);
    } catch (err) {
      if (!(err instanceof StoreUnavailableError)) throw err;
      log.warn(
        { err },
        'The other nodes could not be notified of a changed limit. They will find it by polling.',
      );
    }
  }

  /** Never throws for an unavailable store: the change is already committed. */
  async function publishOverrides(): Promise<void> {
    const reading = refreshOverrides().catch((err: unknown) => {
      log.warn({ err }, 'A changed limit could not be read back. It will be read again.');
    });
    await Promise.all([reading, notifyNodes()]);
  }

  return {
    refreshOverrides,
    publishOverrides,

    async setOverride({ policy, level, sharing = [], change, who, why }) {
      const override = await changeOverride(db, {
        policy: ownerOf(policy, findDeclared(policy, level)),
        level,
        who,
        what: 'limit.update',
        why,
        change: (before) => validOverride([policy, ...sharing], applyOverride(before, change)),
      });
      await publishOverrides();
      return override;
    },

    async resetOverride({ policy, level, who, why }) {
      const override = await changeOverride(db, {
        policy: ownerOf(policy, findDeclared(policy, level)),
        level,
        who,
        what: 'limit.reset',
        why,
        change: (before) =>
          isReset(before) ? before : { ...before, limit: undefined, windowMs: undefined, mode: undefined },
      });
      await publishOverrides();
      return override;
    },

    async switchQueue({ policy, level, who, isClosed }) {
      const declared = findDeclared(policy, level);
      if (!declared.queue) {
        throw new AppError('NOT_FOUND', `Level ${JSON.stringify(level)} of this policy has no queue.`);
      }
      await changeOverride(db, {
        policy: ownerOf(policy, declared),
        level,
        who,
        what: isClosed ? 'queue.close' : 'queue.open',
        audited: ({ isQueueClosed = false }) => ({ isClosed: isQueueClosed }),
        change: (before) => ({ ...before, isQueueClosed: isClosed }),
      });
      await publishOverrides();
    },
  };
}

/** Refreshes the overrides on each notification of a node. */
export async function subscribeFleetOverrides(
  subscriber: RedisClient,
  {
    overrides,
    log,
  }: { overrides: Pick<FleetOverrides, 'refreshOverrides'>; log: FleetOverridesOptions['log'] },
): Promise<void> {
  await subscribeChannel(subscriber, {
    channel: overridesChannel,
    onMessage: () => {
      overrides
        .refreshOverrides()
        .catch((err: unknown) =>
          log.warn({ err }, 'A changed limit could not be read. It will be read again.'),
        );
    },
    onLost: (err) => log.warn({ err }, 'The subscription to changed limits is lost. Polling finds them.'),
  });
}

function isReset({ limit, windowMs, mode }: Override): boolean {
  return limit === undefined && windowMs === undefined && mode === undefined;
}

/** Returns the override if all policies accept its values. */
function validOverride(policies: readonly ResolvedPolicy<never>[], override: Override): Override {
  for (const policy of policies)
    checkOverride(policy, applyOverride(findDeclared(policy, override.level), override));
  return override;
}

function findDeclared(policy: ResolvedPolicy<never>, name: string): ResolvedPolicy<never>['levels'][number] {
  const declared = policy.levels.find(({ level }) => level === name);
  if (!declared) throw new AppError('NOT_FOUND', `"${policy.name}" has no level "${name}".`);
  return declared;
}

/** Serializes runs of a job. All calls during a run share one more run, so each call sees what was committed before it. */
function mergeRuns(job: () => Promise<void>): () => Promise<void> {
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

/** Returns a level with overridden values if its policy accepts them. Throws BAD_REQUEST with the limiter's message. */
export function checkOverride<Level extends ResolvedPolicy<never>['levels'][number]>(
  policy: ResolvedPolicy<never>,
  level: Level,
): Level {
  try {
    validateOverride(policy, level);
    return level;
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    const { field, fix, range } = cause.mistake;
    const problem = {
      ...{ field: field.slice(field.lastIndexOf('.') + 1), text: fix },
      ...(range ? { code: 'out-of-range' as const, ...range } : { code: 'invalid' as const }),
    };
    throw new AppError('BAD_REQUEST', cause.message, { cause, problem });
  }
}
