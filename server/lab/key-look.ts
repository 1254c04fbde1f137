/** One key as Redis shows it. */
export interface KeyLook {
  key: string;
  /** As `TYPE` says. */
  type: 'string' | 'list' | 'hash' | 'zset';
  /** As `OBJECT ENCODING` says, such as `listpack`. */
  encoding: string;
  /** As `PTTL` says: ms until the key is gone, by Redis's own clock. */
  ttlMs: number;
  /** As `MEMORY USAGE` says: key, value and bookkeeping. */
  bytes: number;
  /** How many members it has; of a string, how many bytes. */
  length: number;
  /** The first of its members, at most 100. */
  members: KeyMember[];
  /** What the bytes of a string of the product's mean; null of everything else. */
  meaning: PackedMeaning | null;
}

/**
 * A member, as `redis-cli` would print it: of a zset `value` is its score, of a hash the field's value; null else. Of a
 * string there is one member, in hexadecimal where it is not text.
 */
export interface KeyMember {
  member: string;
  value: string | null;
}

/** What packed bytes say; instants in ms on the lab's clock. */
export type PackedMeaning =
  | { kind: 'log'; instants: number[] }
  | { kind: 'fixed-window'; newest: number; count: number }
  | { kind: 'sub-windows'; newest: number; sum: number; parts: { endsAt: number; count: number }[] }
  | { kind: 'bucket'; newest: number; units: number; windowMs: number; limit: number };
