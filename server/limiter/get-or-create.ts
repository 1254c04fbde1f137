/** A `Map`, `WeakMap` or LRU cache. */
interface Entries<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: NoInfer<Value>): unknown;
}

/** Returns the value of a key, which is created on first use. */
export function getOrCreate<Key, Value extends object>(
  entries: Entries<Key, Value>,
  key: Key,
  create: () => Value,
): Value {
  const known = entries.get(key);
  if (known) return known;
  const created = create();
  entries.set(key, created);
  return created;
}
