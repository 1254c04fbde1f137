/**
 * Creates a version 4 UUID. `crypto.randomUUID` needs a secure context, which plain HTTP on a LAN address is not;
 * `getRandomValues` does not.
 */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte, index) => withVersion(byte, index).toString(16).padStart(2, '0')).join(
    '',
  );
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Sets version 4 and the variant (RFC 9562, section 5.4). */
function withVersion(byte: number, index: number): number {
  if (index === 6) return (byte & 0x0f) | 0x40;
  if (index === 8) return (byte & 0x3f) | 0x80;
  return byte;
}
