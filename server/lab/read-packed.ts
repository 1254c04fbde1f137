import type { Algorithm } from '../limiter/index';

/** Decoded state of a packed string. Times are in ms on the experiment's clock. */
export type PackedMeaning =
  | { kind: 'log'; instants: number[] }
  | { kind: 'fixed-window'; newest: number; count: number }
  | { kind: 'sub-windows'; newest: number; sum: number; parts: { endsAt: number; count: number }[] }
  | { kind: 'bucket'; newest: number; units: number; windowMs: number; limit: number };

/**
 * Decodes the packed state of an algorithm. Its Lua include describes the bytes. `origin` is the epoch ms of 0 on the lab's
 * clock. At most `maxInstants` hits of a log are decoded.
 */
export function readPacked(
  algorithm: Algorithm,
  bytes: Buffer,
  { origin, maxInstants }: { origin: number; maxInstants: number },
): PackedMeaning {
  const instantAt = (position: number) => bytes.readUIntBE(position, 6) - origin;
  switch (algorithm) {
    case 'sliding-log':
      return { kind: 'log', instants: hitOffsets(bytes).slice(0, maxInstants).map(instantAt) };
    case 'fixed-window':
      return { kind: 'fixed-window', newest: bytes.readDoubleBE(0) - origin, count: bytes.readDoubleBE(8) };
    case 'sliding-counter':
      return {
        kind: 'sub-windows',
        newest: instantAt(0),
        sum: bytes.readUInt32BE(6),
        parts: indexes((bytes.length - 10) / 10).map((index) => ({
          endsAt: instantAt(10 + index * 10),
          count: bytes.readUInt32BE(16 + index * 10),
        })),
      };
    case 'token-bucket':
    case 'leaky-bucket':
      return {
        kind: 'bucket',
        newest: bytes.readDoubleBE(0) - origin,
        // Stored as units × window.
        units: bytes.readDoubleBE(8) / bytes.readDoubleBE(16),
        windowMs: bytes.readDoubleBE(16),
        limit: bytes.readDoubleBE(24),
      };
  }
}

const PACKED_BYTES = 768;
const RING_HEADER_BYTES = 30;

/** Returns the byte offsets of a log's hits, oldest first. A log of more than 128 hits is a ring behind a header. */
function hitOffsets(bytes: Buffer): number[] {
  if (bytes.length <= PACKED_BYTES) return indexes(bytes.length / 6).map((index) => index * 6);
  const [head, capacity, count] = [bytes.readUInt32BE(0), bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  return indexes(count).map((index) => RING_HEADER_BYTES + ((head + index) % capacity) * 6);
}

function indexes(count: number): number[] {
  return [...Array(count).keys()];
}
