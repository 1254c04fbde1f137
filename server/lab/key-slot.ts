const SLOTS = 16_384;

/**
 * The slot that a Redis Cluster keeps a key in: CRC-16/XMODEM of its hash tag, or of all of it, modulo 16384 (Redis
 * Cluster specification, "Keys distribution model"). Worked: `foo` is in 12182, and so is `a{foo}b`.
 */
export function keySlot(key: string): number {
  const start = key.indexOf('{');
  const end = key.indexOf('}', start + 1);
  const placedBy = start !== -1 && end > start + 1 ? key.slice(start + 1, end) : key;
  return crc16(Buffer.from(placedBy)) % SLOTS;
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}
