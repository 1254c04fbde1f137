import { LRUCache } from 'lru-cache';

/**
 * Creates an LRU cache of at most `max` entries that allocates as it grows. With the option `max`, `lru-cache` allocates all
 * at once: 2 ms and 220 kB for 10,000 entries, per level of each policy.
 */
export function createLruCache<Value extends object>(max: number): LRUCache<string, Value> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
}
