/** A read that concurrent callers share. */
export interface CachedRead<Value, Args extends unknown[]> {
  /** Returns the last value while it is fresh, else the value of the running read. Only the first caller's arguments are used. */
  get(...args: Args): Promise<Value>;
  /** Makes the next call start a new read, even while one runs, which may have begun before the change. */
  invalidate(): void;
}

/** Creates a cached read. A failure rejects all waiting callers and is not cached. */
export function createCachedRead<Value, Args extends unknown[]>(
  read: (...args: Args) => Promise<Value>,
  { freshForMs }: { freshForMs: number },
): CachedRead<Value, Args> {
  let latest: { value: Promise<Value>; freshUntil: number } | undefined;

  function start(args: Args): Promise<Value> {
    const value = read(...args);
    const reading = { value, freshUntil: Number.POSITIVE_INFINITY };
    latest = reading;
    value.then(
      () => {
        reading.freshUntil = performance.now() + freshForMs;
      },
      () => {
        if (latest === reading) latest = undefined;
      },
    );
    return value;
  }

  return {
    get: (...args) => (latest && performance.now() < latest.freshUntil ? latest.value : start(args)),
    invalidate() {
      latest = undefined;
    },
  };
}
