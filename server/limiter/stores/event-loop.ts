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

/**
 * True on Cloudflare Workers, where a request may not use the I/O of another one, and may end before its promises settle. So
 * a request sends its own commands and awaits only them. See https://github.com/floodgate-limiter/floodgate/blob/main/docs/decisions/059-requests-of-a-worker.md and
 * https://developers.cloudflare.com/workers/runtime-apis/web-standards/#navigatoruseragent.
 */
export const areRequestsIsolated: boolean = globalThis.navigator?.userAgent === 'Cloudflare-Workers';
