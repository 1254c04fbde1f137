import type { Experiment, RunExperiment } from '../experiments/experiment';
import { clockOrigin, experimentPolicy } from '../experiments/experiment-limiter';
import { defineScript } from '../limiter/stores';
import { addHit, countHits, createCountedSend } from './naive-log';

export const decisionVariants = ['commands', 'lock', 'script'] as const;
type DecisionVariant = (typeof decisionVariants)[number];

/** Latency of sequential, admitted decisions for each implementation. */
export interface RoundTrips {
  variants: MeasuredVariant[];
  /** Number of measured decisions for each variant. */
  decisions: number;
}

export interface MeasuredVariant {
  variant: DecisionVariant;
  /** Commands of one decision, in order. */
  commands: string[];
  /** Round trips of one decision. */
  roundTrips: number;
  /** Duration of one decision in µs, on an idle connection. */
  medianMicros: number;
  p99Micros: number;
  /** True if one unit is never given to two callers. A lock can expire while its holder stalls. */
  exact: boolean;
}

const DECISIONS = 200;
/** Unmeasured decisions that warm up the connection and the JIT compiler. */
const WARM_UP = 20;
const WINDOW_MS = 60_000;
const LOCK_TTL_MS = 5_000;

/** Creates the measurement of four commands, of the same commands under a lock, and of the product's script. */
export function createMeasureRoundTrips({ runExperiment }: { runExperiment: RunExperiment }) {
  return function measureRoundTrips({ signal }: { signal?: AbortSignal | undefined }): Promise<RoundTrips> {
    return runExperiment({ signal }, async (experiment) => {
      const measured: MeasuredVariant[] = [];
      for (const variant of decisionVariants) measured.push(await measureVariant(experiment, variant));
      return { variants: measured, decisions: DECISIONS };
    });
  };
}

/** Makes the decision with that index. Returns its number of round trips. */
type Decide = (index: number) => Promise<number>;

async function measureVariant(experiment: Experiment, variant: DecisionVariant): Promise<MeasuredVariant> {
  const { createDecide, commands, exact } = variants[variant];
  const decide = createDecide(experiment);
  const micros: number[] = [];
  let roundTrips = 0;
  for (let index = 0; index < WARM_UP + DECISIONS; index += 1) {
    experiment.signal.throwIfAborted();
    const started = performance.now();
    roundTrips = await decide(index);
    if (index >= WARM_UP) micros.push((performance.now() - started) * 1_000);
  }
  micros.sort((one, other) => one - other);
  const at = (part: number) => Math.round(micros[Math.floor(part * micros.length)] ?? 0);
  return { variant, commands: [...commands], roundTrips, medianMicros: at(0.5), p99Micros: at(0.99), exact };
}

const fourCommands = ['ZREMRANGEBYSCORE', 'ZCARD', 'ZADD', 'PEXPIRE'];

const variants = {
  commands: { createDecide: createDecideByCommands, commands: fourCommands, exact: false },
  lock: {
    createDecide: createDecideByLock,
    commands: ['SET NX PX', ...fourCommands, 'EVALSHA'],
    exact: false,
  },
  script: { createDecide: createDecideByScript, commands: ['EVALSHA'], exact: true },
} satisfies Record<
  DecisionVariant,
  { createDecide: (experiment: Experiment) => Decide; commands: readonly string[]; exact: boolean }
>;

function createDecideByCommands({ clients: [client], key }: Experiment): Decide {
  const log = key('by-commands');
  const start = clockOrigin(WINDOW_MS);
  return async function decideByCommands(index) {
    const send = createCountedSend();
    const call = { client, key: log, now: start + index, windowMs: WINDOW_MS, member: `${index}` };
    await countHits(call, send);
    await addHit(call, send);
    return send.roundTrips();
  };
}

function createDecideByLock({ clients: [client], key }: Experiment): Decide {
  const [log, lock] = [key('by-lock'), key('lock')];
  const start = clockOrigin(WINDOW_MS);
  const release = defineScript(client, {
    command: 'floodgateLabReleaseLock',
    file: 'lab/release-lock.lua',
    numberOfKeys: 1,
  });
  return async function decideByLock(index) {
    const send = createCountedSend();
    const holder = `caller-${index}`;
    const call = { client, key: log, now: start + index, windowMs: WINDOW_MS, member: `${index}` };
    // The lock is always free: the best case.
    await send(client.set(lock, holder, 'PX', LOCK_TTL_MS, 'NX'));
    await countHits(call, send);
    await addHit(call, send);
    await send(release([lock], [holder]));
    return send.roundTrips();
  };
}

function createDecideByScript(experiment: Experiment): Decide {
  const limiter = experiment.limiter();
  const limit = WARM_UP + DECISIONS;
  const policy = experimentPolicy('by-script', [{ level: 'global', limit, windowMs: WINDOW_MS }]);
  const start = clockOrigin(WINDOW_MS);
  return async function decideByScript(index) {
    const before = limiter.roundTrips();
    await limiter.decideAt(start + index, policy);
    return limiter.roundTrips() - before;
  };
}
