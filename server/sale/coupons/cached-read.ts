/** What many ask for at once and one reads. */
export interface CachedRead<Value, Asked extends unknown[]> {
  /** What was read last, where it is fresh; else what is being read, by the first who asked. */
  get(...asked: Asked): Promise<Value>;
  /** The next call reads anew, also where something is being read: that may have begun before the change. */
  invalidate(): void;
}

/** A failure is told to everybody who waited for it, and kept for nobody. */
export function createCachedRead<Value, Asked extends unknown[]>(
  read: (...asked: Asked) => Promise<Value>,
  { freshForMs }: { freshForMs: number },
): CachedRead<Value, Asked> {
  let latest: { value: Promise<Value>; freshUntil: number } | undefined;

  function start(asked: Asked): Promise<Value> {
    const value = read(...asked);
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
    get: (...asked) => (latest && performance.now() < latest.freshUntil ? latest.value : start(asked)),
    invalidate() {
      latest = undefined;
    },
  };
}
