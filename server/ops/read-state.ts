import type { History } from '../fleet/history';
import type { RateCounter } from '../fleet/rates';
import type { SubjectStats, TopSubject } from '../fleet/subject-stats';
import { GLOBAL_SUBJECT, type Limiter, StoreUnavailableError, withinStoreTimeout } from '../limiter';
import type { PolicyRegistry } from '../limits/policy-registry';
import type { OpsState, OpsWindow } from '../live/ops-hub';
import type { AlertBoard } from './alerts/rules';

export interface ReadStateOptions {
  limiter: Pick<Limiter, 'effectivePolicy' | 'peekNamed' | 'bans'>;
  rates: Pick<RateCounter, 'readRates' | 'readFleet' | 'storeNow'>;
  history: History;
  subjects: Pick<SubjectStats, 'readTop'>;
  /** Returns the dependencies of `/readyz`. */
  health: () => Promise<OpsState['health']>;
  alerts: () => AlertBoard;
}

const STORE_TIMEOUT_MS = 500;
/** Time range of the latency. */
const LATENCY_MS = 60_000;

type FromRedis = Pick<OpsState, 'windows' | 'rates' | 'bans' | 'nodes' | 'viewers'>;

/** Creates the reader of the fleet's state. While Redis is down it returns the last state, marked `stale`. */
export function createReadState(options: ReadStateOptions) {
  const { limiter, rates, history, subjects, health, alerts } = options;
  let latest: FromRedis = { windows: [], rates: [], bans: 0, nodes: [], viewers: 0 };

  async function readWindows(
    policies: PolicyRegistry,
    topSubjects: readonly TopSubject[],
  ): Promise<OpsWindow[]> {
    const reads = policies.flatMap((policy) =>
      policy.levels.map(async ({ level }, index): Promise<OpsWindow> => {
        const top = topSubjects.find((one) => one.policy === policy.name && one.level === level);
        const name = level === 'global' ? GLOBAL_SUBJECT : top?.ref;
        if (name === undefined) return emptyWindow(limiter, policy, index);
        const { window } = await limiter.peekNamed(policy, { index, name });
        return top ? { ...window, subject: { ref: top.ref, subject: top.subject } } : window;
      }),
    );
    return Promise.all(reads);
  }

  async function readRedis(policies: PolicyRegistry): Promise<FromRedis> {
    const now = rates.storeNow();
    const [totals, fleet, bans] = await Promise.all([
      withinStoreTimeout(rates.readRates(policies), STORE_TIMEOUT_MS),
      withinStoreTimeout(rates.readFleet(), STORE_TIMEOUT_MS),
      Promise.all(policies.map((policy) => limiter.bans.count(policy))),
      history.refreshHistory({ now, policies }),
    ]);
    const topSubjects = await subjects.readTop(fleet.map(({ node }) => node));
    return {
      windows: await readWindows(policies, topSubjects),
      rates: totals,
      bans: bans.reduce((sum, count) => sum + count, 0),
      nodes: fleet.map(({ node, viewers, failing }) => ({ node, viewers, failing })),
      viewers: fleet.reduce((sum, { viewers }) => sum + viewers, 0),
    };
  }

  return async function readState(policies: PolicyRegistry): Promise<OpsState> {
    let stale = false;
    const [dependencies] = await Promise.all([health(), readRedis(policies).then(keep, markStale)]);
    function keep(read: FromRedis): void {
      latest = read;
    }
    function markStale(error: unknown): void {
      if (!(error instanceof StoreUnavailableError)) throw error;
      stale = true;
    }
    const serverNow = rates.storeNow();
    return {
      ...{ serverNow, stale, ...latest },
      history: history.points(),
      latency: history.latency(serverNow - LATENCY_MS),
      health: dependencies,
      alerts: alerts(),
    };
  };
}

/** Returns an empty window of a level without a top subject. */
function emptyWindow(
  limiter: Pick<Limiter, 'effectivePolicy'>,
  policy: PolicyRegistry[number],
  index: number,
): OpsWindow {
  const level = limiter.effectivePolicy(policy).levels[index];
  if (!level) throw new RangeError(`"${policy.name}" has no level at index ${index}`);
  const { algorithm, limit, windowMs, mode } = level;
  return {
    ...{ policy: policy.name, level: level.level, algorithm, limit, windowMs, mode },
    ...{ used: 0, remaining: limit, hits: [], retryAfterMs: 0 },
  };
}
