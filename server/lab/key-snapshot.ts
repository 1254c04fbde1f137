/** One key, as Redis describes it. */
export interface KeySnapshot {
  key: string;
  /** Reply of `TYPE`. */
  type: 'string' | 'list' | 'hash' | 'zset';
  /** Reply of `OBJECT ENCODING`, such as `listpack`. */
  encoding: string;
  /** Reply of `PTTL`: ms until the key expires, on Redis's clock. */
  ttlMs: number;
  /** Reply of `MEMORY USAGE`: key, value and overhead. */
  bytes: number;
  /** Number of members, or of bytes in a string. */
  length: number;
  /** The first 100 members. */
  members: KeyMember[];
  /** Decoded state of a string that the product packed. Null for every other key. */
  meaning: PackedMeaning | null;
}

/**
 * A member in the form that `redis-cli` prints. `value` is the score in a zset, the field's value in a hash, else null.
 * A string has one member, in hexadecimal if it is not text.
 */
export interface KeyMember {
  member: string;
  value: string | null;
}

/** Decoded state of a packed string. Times are in ms on the lab's clock. */
export type PackedMeaning =
  | { kind: 'log'; instants: number[] }
  | { kind: 'fixed-window'; newest: number; count: number }
  | { kind: 'sub-windows'; newest: number; sum: number; parts: { endsAt: number; count: number }[] }
  | { kind: 'bucket'; newest: number; units: number; windowMs: number; limit: number };
