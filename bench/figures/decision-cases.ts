import type { Level } from '../contenders/contender';
import type { ContenderName } from '../contenders/contenders';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
/** Never reached in a run, so every call is admitted. */
const NEVER_FULL = 1_000_000;

export interface DecisionCase {
  /** As in file names. */
  name: string;
  title: string;
  about: string;
  /** Each is measured between two runs of `ceiling`. */
  contenders: readonly ContenderName[];
  levels: readonly Level[];
  subjects: number;
  inFlight: readonly number[];
  /** Hits added for each subject before the measurement. Default: none. */
  fillHits?: number;
  goals: readonly CaseGoal[];
}

interface CaseGoal {
  what: string;
  of: ContenderName;
  inFlight: number;
  figure: 'rate' | 'p50';
  bound: { min: number } | { max: number };
  /** The best of these contenders is the yardstick of each round. Default: the ceiling. */
  against?: readonly ContenderName[];
}

const peers = ['flexible', 'fastify', 'upstash', 'fourCommands', 'tutorialLua'] as const;
/** The fastest other limiters. */
const best = ['flexible', 'fastify'] as const;

const atLeast = (what: string, of: ContenderName, min: number, inFlight = 64): CaseGoal => ({
  what,
  of,
  inFlight,
  figure: 'rate',
  bound: { min },
});

const asFastAsOthers = (what: string, of: ContenderName): CaseGoal => ({
  ...atLeast(what, of, 1),
  against: best,
});

const hundred = { limit: 100, windowMs: 10 * SECOND_MS };
const everybody = { limit: NEVER_FULL, windowMs: 10 * SECOND_MS };

/** The cases of the figure, in the order of docs/benchmarks.md. */
export const decisionCases: readonly DecisionCase[] = [
  {
    name: 'spread',
    title: 'Many subjects',
    about: '10 000 subjects in rotation, 100 in 10 s for each, all admitted',
    contenders: ['together', 'log', 'counter', 'fixed', 'token', 'leaky', ...peers],
    levels: [hundred],
    subjects: 10_000,
    inFlight: [1, 64, 512],
    goals: [
      asFastAsOthers('sliding log, up to 128 hits, alone', 'log'),
      asFastAsOthers('fixed window, alone', 'fixed'),
      atLeast('token bucket, alone', 'token', 0.84),
      atLeast('sliding counter, alone', 'counter', 0.84),
      atLeast('together, 64 in flight', 'together', 1.37),
      atLeast('together, 512 in flight', 'together', 1.38, 512),
      {
        what: 'p50 of one call in flight',
        of: 'together',
        inFlight: 1,
        figure: 'p50',
        bound: { max: 1.1 },
        against: ['flexible'],
      },
    ],
  },
  {
    name: 'hot-refused',
    title: 'One key that is full',
    about: 'one subject, 100 in 10 s: all but the first are refused',
    contenders: ['sheds', 'together', 'sent', 'flexibleBlocks', 'upstashCaches', ...peers],
    levels: [hundred],
    subjects: 1,
    inFlight: [64],
    goals: [atLeast('a cached denial', 'sheds', 25)],
  },
  {
    name: 'hot-admitted',
    title: 'One key that admits',
    about: `one subject, ${NEVER_FULL.toLocaleString('en').replaceAll(',', ' ')} in 10 s, all admitted; logs grow to what they were sent in 10 s`,
    contenders: ['together', 'fixed', 'token', 'flexible', 'upstash', 'tutorialLua'],
    levels: [everybody],
    subjects: 1,
    inFlight: [64],
    goals: [],
  },
  {
    name: 'long-log',
    title: 'A window of 10 000 hits',
    about: '4 subjects, each with 10 000 hits of the last hour before it begins, all admitted; logs only',
    contenders: ['together', 'log', 'fourCommands', 'tutorialLua'],
    levels: [{ limit: NEVER_FULL, windowMs: HOUR_MS }],
    subjects: 4,
    inFlight: [64],
    fillHits: 10_000,
    goals: [
      atLeast('sliding log, 10 000 hits, alone', 'log', 0.88),
      atLeast('sliding log, 10 000 hits, together', 'together', 0.88),
    ],
  },
  {
    name: 'two-levels',
    title: 'Two levels',
    about:
      'the first case, and a window that all calls share (here a token bucket); contenders with one window per call decide twice',
    contenders: ['together', 'log', 'flexible', 'upstash', 'tutorialLua'],
    levels: [hundred, { ...everybody, algorithm: 'token-bucket' }],
    subjects: 10_000,
    inFlight: [64],
    goals: [
      atLeast('two levels in one decision, alone', 'log', 0.78),
      atLeast('two levels in one decision, together', 'together', 1.28),
    ],
  },
];
