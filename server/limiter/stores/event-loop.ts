/**
 * The functions of the event loop, as they are when this module loads: fake timers of Jest or Vitest replace them, and calls
 * that wait for a fake one never end.
 */
const { queueMicrotask: enqueue, setImmediate: enqueueCheck, setTimeout: wait, process: node } = globalThis;

/** Runs a function after the current microtasks. */
export const runInMicrotask: (run: () => void) => void = enqueue;

/** Runs a function after the replies that have arrived are read. Some runtimes have only timers for it. */
export const runAfterReplies: (run: () => void) => void =
  typeof enqueueCheck === 'function' ? enqueueCheck : (run) => void wait(run, 0);

/** Runs a function before other microtasks, at the end of the current operation. */
export const runNextTick: (run: () => void) => void = node?.nextTick ?? enqueue;
