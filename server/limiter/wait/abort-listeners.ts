/**
 * Creates the function that calls `onAbort` when a signal aborts, and returns its removal. A signal has one listener, however
 * many calls wait with it: Node warns about more than ten.
 */
export function createAbortListeners(): (signal: AbortSignal, onAbort: () => void) => () => void {
  const listening = new WeakMap<AbortSignal, Set<() => void>>();

  return function addAbortListener(signal, onAbort) {
    const known = listening.get(signal);
    const listeners = known ?? new Set();
    const callAll = () => {
      for (const listener of listeners) listener();
    };
    if (!known) {
      listening.set(signal, listeners);
      signal.addEventListener('abort', callAll, { once: true });
    }
    listeners.add(onAbort);
    return () => void listeners.delete(onAbort);
  };
}
