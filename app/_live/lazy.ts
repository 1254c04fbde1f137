/** A value whose code loads on demand. */
export interface Lazy<Value> {
  /** Loads the value once. After a failure, the next call tries again. */
  load(): Promise<Value>;
  /** Returns the value, or `undefined` until it has loaded. */
  current(): Value | undefined;
  /** Calls the listener once the value has loaded. Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void;
}

export function createLazy<Value>(load: () => Promise<Value>): Lazy<Value> {
  const listeners = new Set<() => void>();
  let loading: Promise<Value> | undefined;
  let value: Value | undefined;

  async function loadOnce(): Promise<Value> {
    try {
      value = await load();
    } catch (error) {
      loading = undefined;
      throw error;
    }
    for (const listener of listeners) listener();
    return value;
  }

  return {
    load() {
      loading ??= loadOnce();
      return loading;
    },
    current: () => value,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
