import { listFailing } from '../finding';
import type { DecisionCounter } from '../fleet/decision-counter';
import type { Heartbeat, NodeHeartbeat } from '../fleet/heartbeat';
import type { History } from '../fleet/history';
import type { SubjectStats, TopSubject } from '../fleet/subject-stats';
import {
  GLOBAL_SUBJECT,
  type LeasedUnits,
  type Limiter,
  StoreUnavailableError,
  withinStoreTimeout,
} from '../limiter/index';
import type { PolicyRegistry } from '../limits/policy-registry';
import type { AlertBoard } from './alerts/rules';
import type { OpsQueue, OpsState, OpsWindow } from './ops-hub';
import { emptyWindow, peekReadable } from './peek-readable';
import { OPS_STORE_TIMEOUT_MS } from './store-timeout';

export interface ReadStateOptions {
  limiter: Pick<Limiter, 'effectivePolicy' | 'peekByPseudonym' | 'bans' | 'queue'>;
  policies: PolicyRegistry;
  decisionCounter: Pick<DecisionCounter, 'readTotals'>;
  heartbeat: Pick<Heartbeat, 'node' | 'readFleet' | 'storeNow'>;
  history: History;
  subjects: Pick<SubjectStats, 'readTop'>;
  /** Returns the dependencies of `/readyz`. */
  health: () => Promise<OpsState['health']>;
  alerts: () => AlertBoard;
}

/** Time range of the latency. */
export const LATENCY_MS = 60_000;

type FromRedis = Pick<OpsState, 'windows' | 'rates' | 'queues' | 'leased' | 'bans' | 'nodes' | 'viewers'>;

/** Creates the reader of the fleet's state. While Redis is down it returns the last state, marked `stale`. */
export function createReadState(options: ReadStateOptions) {
  const { limiter, policies, decisionCounter, heartbeat, history, subjects, health, alerts } = options;
  let latest: FromRedis = {
    ...{ windows: [], rates: [], queues: [], leased: [], bans: 0, nodes: [], viewers: 0 },
  };

  async function readWindows(topSubjects: readonly TopSubject[]): Promise<OpsWindow[]> {
    const reads = policies.flatMap((policy) =>
      policy.levels.map(async ({ level }): Promise<OpsWindow> => {
        const top = topSubjects.find((one) => one.policy === policy.name && one.level === level);
        const pseudonym = level === 'global' ? GLOBAL_SUBJECT : top?.ref;
        if (pseudonym === undefined) return emptyWindow(limiter, policy, level);
        const { window, isUnreadable } = await peekReadable(limiter, policy, { level, pseudonym });
        if (isUnreadable) return findWindow(latest.windows, policy.name, level) ?? window;
        return top ? { ...window, subject: { ref: top.ref, subject: top.subject } } : window;
      }),
    );
    return Promise.all(reads);
  }

  async function readRedis(): Promise<FromRedis> {
    const now = heartbeat.storeNow();
    const [totals, fleet, bans, queues] = await Promise.all([
      withinStoreTimeout(decisionCounter.readTotals(policies), OPS_STORE_TIMEOUT_MS),
      withinStoreTimeout(heartbeat.readFleet(), OPS_STORE_TIMEOUT_MS),
      Promise.all(policies.map((policy) => limiter.bans.count(policy))),
      readQueues(limiter, policies),
      history.refreshHistory({ now, policies }),
    ]);
    const topSubjects = await subjects.readTop(fleet.map(({ node }) => node));
    return {
      windows: await readWindows(topSubjects),
      rates: totals,
      queues,
      leased: sumLeased(fleet),
      bans: bans.reduce((sum, count) => sum + count, 0),
      nodes: fleet.map(({ node, viewers, failing }) => ({ node, viewers, failing })),
      viewers: fleet.reduce((sum, { viewers }) => sum + viewers, 0),
    };
  }

  return async function readState(): Promise<OpsState> {
    let stale = false;
    const [dependencies] = await Promise.all([health(), readRedis().then(keep, markStale)]);
    function keep(read: FromRedis): void {
      latest = read;
    }
    function markStale(error: unknown): void {
      if (!(error instanceof StoreUnavailableError)) throw error;
      stale = true;
    }
    const serverNow = heartbeat.storeNow();
    // The heartbeat of this node is older than its checks, and would contradict them.
    const failing = listFailing(dependencies);
    return {
      ...{ serverNow, stale, ...latest },
      nodes: latest.nodes.map((one) => (one.node === heartbeat.node ? { ...one, failing } : one)),
      history: history.points(),
      latency: history.latency(serverNow - LATENCY_MS),
      health: dependencies,
      alerts: alerts(),
    };
  };
}

/** Returns the units that the nodes of the fleet hold together, by level. */
export function sumLeased(fleet: readonly Pick<NodeHeartbeat, 'leased'>[]): LeasedUnits[] {
  const sums = new Map<string, LeasedUnits>();
  for (const { policy, level, idle } of fleet.flatMap(({ leased }) => leased)) {
    const key = `${policy}:${level}`;
    sums.set(key, { policy, level, idle: idle + (sums.get(key)?.idle ?? 0) });
  }
  return [...sums.values()];
}

/** Reads the queues of all policies that have one. */
function readQueues(limiter: Pick<Limiter, 'queue'>, policies: PolicyRegistry): Promise<OpsQueue[]> {
  const reads = policies.flatMap((policy) => {
    const { level, queue } = policy.levels.at(-1) ?? {};
    if (!queue || level === undefined) return [];
    return limiter
      .queue(policy)
      .state()
      .then(({ now: _now, ...state }) => ({ policy: policy.name, level, ...state }));
  });
  return Promise.all(reads);
}

function findWindow(windows: readonly OpsWindow[], policy: string, level: string): OpsWindow | undefined {
  return windows.find((one) => one.policy === policy && one.level === level);
}
