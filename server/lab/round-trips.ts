import { defineScript } from '../lua-scripts';
import { createAsking } from './asking';
import type { Conduct, Experiment } from './experiment';
import { clockOrigin } from './lab-clock';
import { labPolicy } from './lab-limiter';
import { addHit, countHits } from './naive/four-commands';

export const decisionWays = ['commands', 'lock', 'script'] as const;
type DecisionWay = (typeof decisionWays)[number];

/** One admitted decision after the other, made in different ways, and measured. */
export interface RoundTrips {
  ways: MeasuredWay[];
  /** How many decisions each way made. */
  decisions: number;
}

export interface MeasuredWay {
  way: DecisionWay;
  /** What one decision sends, in order. */
  commands: string[];
  /** How many times one decision waits for Redis. */
  roundTrips: number;
  /** In µs, of one decision, on an idle connection. */
  medianMicros: number;
  p99Micros: number;
  /** Whether no two callers can ever be admitted for one unit; a lock runs out under a holder that stalls. */
  exact: boolean;
}

const DECISIONS = 200;
/** Made before anything is measured: connections and compilers warm up. */
const WARM_UP = 20;
const WINDOW_MS = 60_000;
const LOCK_LIVES_MS = 5_000;

/** What a decision costs by four commands, by a lock around them, and by the product's one script. */
export function createRoundTrips({ conduct }: { conduct: Conduct }) {
  return function roundTrips({ signal }: { signal?: AbortSignal | undefined }): Promise<RoundTrips> {
    return conduct({ signal }, async (experiment) => {
      const ways: MeasuredWay[] = [];
      for (const way of decisionWays) ways.push(await measured(experiment, way));
      return { ways, decisions: DECISIONS };
    });
  };
}

/** Makes the decision of that place, and says how many round trips it took. */
type Decide = (place: number) => Promise<number>;

async function measured(experiment: Experiment, way: DecisionWay): Promise<MeasuredWay> {
  const { make, commands, exact } = table[way];
  const decide = make(experiment);
  const micros: number[] = [];
  let roundTrips = 0;
  for (let place = 0; place < WARM_UP + DECISIONS; place += 1) {
    experiment.signal.throwIfAborted();
    const started = performance.now();
    roundTrips = await decide(place);
    if (place >= WARM_UP) micros.push((performance.now() - started) * 1_000);
  }
  micros.sort((one, other) => one - other);
  const at = (part: number) => Math.round(micros[Math.floor(part * micros.length)] ?? 0);
  return { way, commands: [...commands], roundTrips, medianMicros: at(0.5), p99Micros: at(0.99), exact };
}

const fourCommands = ['ZREMRANGEBYSCORE', 'ZCARD', 'ZADD', 'PEXPIRE'];

const table = {
  commands: { make: byCommands, commands: fourCommands, exact: false },
  lock: { make: byLock, commands: ['SET NX PX', ...fourCommands, 'EVALSHA'], exact: false },
  script: { make: byScript, commands: ['EVALSHA'], exact: true },
} satisfies Record<
  DecisionWay,
  { make: (experiment: Experiment) => Decide; commands: readonly string[]; exact: boolean }
>;

function byCommands({ clients: [client], key }: Experiment): Decide {
  const log = key('by-commands');
  const start = clockOrigin(WINDOW_MS);
  return async function decideByCommands(place) {
    const ask = createAsking();
    const call = { client, key: log, now: start + place, windowMs: WINDOW_MS, member: `${place}` };
    await countHits(call, ask);
    await addHit(call, ask);
    return ask.roundTrips();
  };
}

function byLock({ clients: [client], key }: Experiment): Decide {
  const [log, lock] = [key('by-lock'), key('lock')];
  const start = clockOrigin(WINDOW_MS);
  const release = defineScript(client, {
    command: 'floodgateLabReleaseLock',
    file: 'lab/release-lock.lua',
    numberOfKeys: 1,
  });
  return async function decideByLock(place) {
    const ask = createAsking();
    const holder = `caller-${place}`;
    const call = { client, key: log, now: start + place, windowMs: WINDOW_MS, member: `${place}` };
    // Nobody else is here: the lock is free, as at the best of times.
    await ask(client.set(lock, holder, 'PX', LOCK_LIVES_MS, 'NX'));
    await countHits(call, ask);
    await addHit(call, ask);
    await ask(release([lock], [holder]));
    return ask.roundTrips();
  };
}

function byScript(experiment: Experiment): Decide {
  const limiter = experiment.limiter();
  const limit = WARM_UP + DECISIONS;
  const policy = labPolicy('by-script', [{ level: 'global', limit, windowMs: WINDOW_MS }]);
  const start = clockOrigin(WINDOW_MS);
  return async function decideByScript(place) {
    const before = limiter.roundTrips();
    await limiter.decideAt(start + place, policy);
    return limiter.roundTrips() - before;
  };
}
