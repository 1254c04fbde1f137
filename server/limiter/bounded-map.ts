/** A map that forgets what was set longest ago when it holds `most` entries. */
export interface BoundedMap<Value> {
  get(key: string): Value | undefined;
  /** Sets, and counts the entry as the newest. */
  set(key: string, value: Value): void;
  delete(key: string): void;
}

/** Remembers at most `most` entries, so that a flood of subjects costs no more memory than that. */
export function createBoundedMap<Value>(most: number): BoundedMap<Value> {
  const entries = new Map<string, Value>();
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= most) return;
      const oldest = entries.keys().next();
      if (!oldest.done) entries.delete(oldest.value);
    },
    delete: (key) => void entries.delete(key),
  };
}
