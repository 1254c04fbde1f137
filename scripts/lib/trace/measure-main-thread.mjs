/**
 * One event of Chromium's trace format, with the fields that are used here. Times are in microseconds.
 *
 * @typedef {object} TraceEvent
 * @property {string} name
 * @property {string} ph    `X`: an event with a duration. `M`: metadata of a process or a thread.
 * @property {number} pid
 * @property {number} tid
 * @property {number} ts
 * @property {number} [dur]
 * @property {number} [tdur]  The processor time of `dur`: without the time in which other threads had the processor.
 * @property {{ name?: string }} [args]
 */

/**
 * @typedef {object} MainThread
 * @property {number} busyShare      The share of the recorded time, from 0 to 1.
 * @property {number} longestTaskMs
 */

const tasks = new Set(['ThreadControllerImpl::RunTask', 'RunTask']);
const LONG_TASK_MS = 50;

/**
 * Measures the load of a page's main thread: the share of the recording in which it ran any task. With several renderers
 * it returns the busiest, because the others are spare.
 *
 * @param {TraceEvent[]} events
 * @returns {MainThread}
 */
export function measureMainThread(events) {
  const timed = events.filter(isTimed);
  const startedAt = timed.reduce((earliest, { ts }) => Math.min(earliest, ts), Number.POSITIVE_INFINITY);
  const endedAt = timed.reduce((most, { ts, dur = 0 }) => Math.max(most, ts + dur), 0);
  const busiest = findPageTasks(events);
  return {
    busyShare: measureCovered(busiest) / (endedAt - startedAt),
    longestTaskMs: busiest.reduce((most, { dur = 0 }) => Math.max(most, dur), 0) / 1_000,
  };
}

/**
 * Measures how long the main thread is blocked after the first paint, as Total Blocking Time does (the part of each task
 * above 50 ms, https://web.dev/articles/tbt), but by the processor time of the tasks: on a machine that also runs the
 * server, other processes interrupt a task, and its duration includes their work.
 *
 * @param {TraceEvent[]} events
 * @param {{ slowdown: number }} options  The processor of the simulated device is slower by this factor.
 * @returns {number} In milliseconds of the simulated device.
 */
export function measureBlocked(events, { slowdown }) {
  const tasksOfPage = findPageTasks(events);
  const [{ pid } = { pid: 0 }] = tasksOfPage;
  const painted = events.find((event) => event.name === 'firstContentfulPaint' && event.pid === pid);
  if (!painted) throw new RangeError('The trace has no first paint.');
  return tasksOfPage
    .filter(({ ts }) => ts >= painted.ts)
    .map(({ tdur = 0 }) => (tdur / 1_000) * slowdown)
    .reduce((sum, ms) => sum + Math.max(0, ms - LONG_TASK_MS), 0);
}

/** @param {TraceEvent[]} events */
function findPageTasks(events) {
  const timed = events.filter(isTimed);
  const threads = events
    .filter(({ ph, name, args }) => ph === 'M' && name === 'thread_name' && args?.name === 'CrRendererMain')
    .map(({ pid, tid }) => timed.filter((event) => event.pid === pid && event.tid === tid))
    .map((ofThread) => ofThread.filter(({ name }) => tasks.has(name)));
  const [busiest] = threads.toSorted((a, b) => measureCovered(b) - measureCovered(a));
  if (!busiest?.length) throw new RangeError('The trace has no task of any page.');
  return busiest;
}

/** @param {TraceEvent} event */
function isTimed({ ph }) {
  return ph === 'X';
}

/**
 * Counts the frames that the compositor drew, a second. The recording begins with its first frame and ends with its last one.
 *
 * @param {TraceEvent[]} events  With the category `devtools.timeline.frame`.
 * @returns {number}
 */
export function measureFrameRate(events) {
  const drawn = events.filter(({ name }) => name === 'DrawFrame').map(({ ts }) => ts);
  const [first, last] = [Math.min(...drawn), Math.max(...drawn)];
  if (drawn.length < 2) throw new RangeError('The trace has no two frames.');
  return ((drawn.length - 1) * 1_000_000) / (last - first);
}

/**
 * Sums the durations of tasks and counts overlaps once: tasks are nested, and each is recorded under two names.
 *
 * @param {TraceEvent[]} events
 */
function measureCovered(events) {
  let sum = 0;
  let until = 0;
  for (const { ts, dur = 0 } of events.toSorted((a, b) => a.ts - b.ts)) {
    sum += Math.max(0, ts + dur - Math.max(ts, until));
    until = Math.max(until, ts + dur);
  }
  return sum;
}
