/**
 * A sequence of calls for which a limiter admits more or less than its limit.
 *
 * @typedef {object} Probe
 * @property {string} name
 * @property {string} about
 * @property {'one process' | 'two processes' | 'two clocks'} by
 * @property {boolean} beginsAtEdge  Whether it begins on a whole window of the clock, where fixed windows of the clock do.
 * @property {(limit: number, windowMs: number) => { atMs: number, calls: number }[][]} bursts  Of each process.
 */

/** @type {readonly Probe[]} */
export const probes = [
  {
    name: 'edge',
    about: 'one call; twice the limit just before the window ends, and again just after',
    by: 'one process',
    beginsAtEdge: true,
    bursts: (limit, windowMs) => [
      [
        { atMs: 0, calls: 1 },
        { atMs: 0.9 * windowMs, calls: 2 * limit },
        { atMs: 1.06 * windowMs, calls: 2 * limit },
        { atMs: 1.3 * windowMs, calls: 2 * limit },
      ],
    ],
  },
  {
    name: 'hammer',
    about: 'six times the limit in each window, evenly, for four windows',
    by: 'one process',
    beginsAtEdge: false,
    bursts: (limit, windowMs) => [
      Array.from({ length: 80 }, (_, step) => ({
        atMs: (step / 20) * windowMs,
        calls: Math.ceil((6 * limit) / 20),
      })),
    ],
  },
  {
    name: 'race',
    about: 'five times the limit at once, from each of two processes',
    by: 'two processes',
    beginsAtEdge: false,
    bursts: (limit) => [[{ atMs: 0, calls: 5 * limit }], [{ atMs: 0, calls: 5 * limit }]],
  },
  {
    name: 'clock',
    about: 'two processes in turn, twice the limit each time; the clock of the second is 30 s ahead',
    by: 'two clocks',
    beginsAtEdge: false,
    bursts: (limit, windowMs) => [
      [
        { atMs: 0, calls: 2 * limit },
        { atMs: 0.2 * windowMs, calls: 2 * limit },
      ],
      [
        { atMs: 0.1 * windowMs, calls: 2 * limit },
        { atMs: 0.3 * windowMs, calls: 2 * limit },
      ],
    ],
  },
];

export const CLOCK_AHEAD_MS = 30_000;
