import { EVERYBODY, type Limiter, StoreUnavailableError, withinStoreTimeout } from '../limiter';
import type { Catalogue } from '../limits/catalogue';
import type { FullestSubject } from '../limits/fullest-subjects';
import type { History } from '../limits/history';
import type { RateCounter } from '../limits/rates';
import type { Subjects } from '../limits/subjects';
import type { AlertBoard } from './alerts/alert';
import type { OpsState, OpsWindow } from './ops-state';

export interface ReadStateOptions {
  limiter: Pick<Limiter, 'effective' | 'peekNamed' | 'bans'>;
  rates: Pick<RateCounter, 'read' | 'fleet' | 'storeNow'>;
  history: History;
  subjects: Pick<Subjects, 'fullest'>;
  /** What `/readyz` tells. */
  health: () => Promise<OpsState['health']>;
  alerts: () => AlertBoard;
}

const WAIT_MS = 500;
/** Latencies are of the last minute. */
const LATENCY_MS = 60_000;

type FromRedis = Pick<OpsState, 'windows' | 'rates' | 'bans' | 'nodes' | 'viewers'>;

/** Reads the state of the fleet. While Redis is away it tells what it told last, and that it does. */
export function createReadState(options: ReadStateOptions) {
  const { limiter, rates, history, subjects, health, alerts } = options;
  let latest: FromRedis = { windows: [], rates: [], bans: 0, nodes: [], viewers: 0 };

  async function readWindows(catalogue: Catalogue, fullest: readonly FullestSubject[]): Promise<OpsWindow[]> {
    const reads = catalogue.flatMap((policy) =>
      policy.levels.map(async ({ level }, place): Promise<OpsWindow> => {
        const known = fullest.find((one) => one.policy === policy.name && one.level === level);
        const name = level === 'global' ? EVERYBODY : known?.ref;
        if (name === undefined) return emptyWindow(limiter, policy, place);
        const { window } = await limiter.peekNamed(policy, { place, name });
        return known ? { ...window, subject: { ref: known.ref, subject: known.subject } } : window;
      }),
    );
    return Promise.all(reads);
  }

  async function readRedis(catalogue: Catalogue): Promise<FromRedis> {
    const now = rates.storeNow();
    const [totals, fleet, bans] = await Promise.all([
      withinStoreTimeout(rates.read(catalogue), WAIT_MS),
      withinStoreTimeout(rates.fleet(), WAIT_MS),
      Promise.all(catalogue.map((policy) => limiter.bans.count(policy))),
      history.read({ now, catalogue }),
    ]);
    const fullest = await subjects.fullest(fleet.map(({ node }) => node));
    return {
      windows: await readWindows(catalogue, fullest),
      rates: totals,
      bans: bans.reduce((sum, count) => sum + count, 0),
      nodes: fleet.map(({ node, viewers, failing }) => ({ node, viewers, failing })),
      viewers: fleet.reduce((sum, { viewers }) => sum + viewers, 0),
    };
  }

  return async function readState(catalogue: Catalogue): Promise<OpsState> {
    let stale = false;
    const [found] = await Promise.all([health(), readRedis(catalogue).then(keep, missed)]);
    function keep(read: FromRedis): void {
      latest = read;
    }
    function missed(error: unknown): void {
      if (!(error instanceof StoreUnavailableError)) throw error;
      stale = true;
    }
    const serverNow = rates.storeNow();
    return {
      ...{ serverNow, stale, ...latest },
      history: history.points(),
      latency: history.latency(serverNow - LATENCY_MS),
      health: found,
      alerts: alerts(),
    };
  };
}

/** The window of nobody in particular. */
function emptyWindow(
  limiter: Pick<Limiter, 'effective'>,
  policy: Catalogue[number],
  place: number,
): OpsWindow {
  const level = limiter.effective(policy).levels[place];
  if (!level) throw new RangeError(`"${policy.name}" has no level at place ${place}`);
  const { algorithm, limit, windowMs, mode } = level;
  return {
    ...{ policy: policy.name, level: level.level, algorithm, limit, windowMs, mode },
    ...{ used: 0, remaining: limit, hits: [], retryAfterMs: 0 },
  };
}
