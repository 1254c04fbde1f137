const SLOT_COUNT = 16_384;

/**
 * Returns the hash slot of a key in Redis Cluster: CRC-16/XMODEM of its hash tag, or of the whole key, modulo 16384 (Redis
 * Cluster specification, "Key distribution model"). Example: `foo` and `a{foo}b` are in slot 12182.
 */
export function keySlot(key: string): number {
  const start = key.indexOf('{');
  const end = key.indexOf('}', start + 1);
  const hashTag = start !== -1 && end > start + 1 ? key.slice(start + 1, end) : key;
  return crc16(Buffer.from(hashTag)) % SLOT_COUNT;
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}
