import type { Algorithm } from '../limiter';
import type { PackedMeaning } from './key-look';

export interface ReadPackedOptions {
  /** Epoch ms of 0 on the lab's clock. */
  origin: number;
  /** How many instants of a log are read. */
  most: number;
}

/** What the packed state of an algorithm says; its Lua include describes the bytes. */
export function readPacked(
  algorithm: Algorithm,
  bytes: Buffer,
  { origin, most }: ReadPackedOptions,
): PackedMeaning {
  const instantAt = (position: number) => bytes.readUIntBE(position, 6) - origin;
  switch (algorithm) {
    case 'sliding-log':
      return { kind: 'log', instants: hitPositions(bytes).slice(0, most).map(instantAt) };
    case 'fixed-window':
      return { kind: 'fixed-window', newest: bytes.readDoubleBE(0) - origin, count: bytes.readDoubleBE(8) };
    case 'sliding-counter':
      return {
        kind: 'sub-windows',
        newest: instantAt(0),
        sum: bytes.readUInt32BE(6),
        parts: places((bytes.length - 10) / 10).map((place) => ({
          endsAt: instantAt(10 + place * 10),
          count: bytes.readUInt32BE(16 + place * 10),
        })),
      };
    case 'token-bucket':
    case 'leaky-bucket': {
      const windowMs = bytes.readDoubleBE(16);
      return {
        kind: 'bucket',
        newest: bytes.readDoubleBE(0) - origin,
        units: bytes.readDoubleBE(8) / windowMs,
        windowMs,
        limit: bytes.readDoubleBE(24),
      };
    }
  }
}

const PACKED_BYTES = 768;
const RING_HEADER_BYTES = 30;

/** Where the hits of a log stand, oldest first: one after the other, or above 128 in a ring behind a header. */
function hitPositions(bytes: Buffer): number[] {
  if (bytes.length <= PACKED_BYTES) return places(bytes.length / 6).map((place) => place * 6);
  const [head, capacity, count] = [bytes.readUInt32BE(0), bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  return places(count).map((place) => RING_HEADER_BYTES + ((head + place) % capacity) * 6);
}

function places(count: number): number[] {
  return [...Array(count).keys()];
}
