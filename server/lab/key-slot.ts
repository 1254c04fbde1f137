import { hashTagOf, StoreUnavailableError } from '../limiter/index';

const SLOT_COUNT = 16_384;

/**
 * Returns the hash slot of a key in Redis Cluster: CRC-16/XMODEM of its hash tag, or of the whole key, modulo 16384 (Redis
 * Cluster specification, "Key distribution model"). Example: `foo` and `a{foo}b` are in slot 12182.
 */
export function keySlot(key: string): number {
  return crc16(Buffer.from(hashTagOf(key))) % SLOT_COUNT;
}

/** Counts the hash slots of keys. */
export function countSlots(keys: readonly string[]): number {
  return new Set(keys.map(keySlot)).size;
}

/** Returns the reply 0 if Redis Cluster refused a script because of its slots. Rethrows every other error. */
export function refuseCrossSlot(error: unknown): number[] {
  const cause = error instanceof StoreUnavailableError ? error.cause : undefined;
  if (cause instanceof Error && cause.message.startsWith('CROSSSLOT')) return [0];
  throw error;
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}
