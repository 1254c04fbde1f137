import type { KeyLook } from './key-look';

export const storages = ['string', 'list', 'hash', 'zset', 'packed'] as const;

export interface StoragesOrder {
  hits: number;
  windowMs: number;
  signal?: AbortSignal | undefined;
}

/** One log of hits, kept in each type of Redis, and as the product keeps it. */
export interface Storages {
  storages: {
    storage: (typeof storages)[number];
    bytes: number;
    /** Of one hit. */
    bytesPerHit: number;
    /** What one decision asks Redis to do, with a full log. */
    commands: string[];
    /** How many bytes one decision has to read out of Redis to decide. */
    bytesRead: number;
    /** Whether a log of this type can be asked for its window by itself. */
    knowsItsWindow: boolean;
    key: KeyLook;
  }[];
  hits: number;
  windowMs: number;
}
