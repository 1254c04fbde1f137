import { hmac } from '@noble/hashes/hmac';
import { sha256 } from '@noble/hashes/sha2';

/** Returns the HMAC-SHA256 of a text. */
type HmacSha256 = (secret: string, text: string) => Uint8Array;

/** Creates the function that computes HMACs: by the module of Node if the runtime has it, else by a library. */
export function createHmacSha256(node: typeof import('node:crypto') | undefined): HmacSha256 {
  if (!node) return (secret, text) => hmac(sha256, secret, text);
  return (secret, text) => node.createHmac('sha256', secret).update(text).digest();
}

/** Not an import, which bundlers for other runtimes refuse. */
export const hmacSha256: HmacSha256 = createHmacSha256(globalThis.process?.getBuiltinModule?.('node:crypto'));

/** Returns a random id: 12 characters, as scripts store it, of 72 bits, so that two never collide. */
export function createRandomId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(9)));
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Encodes bytes in base64url. Bits that do not fill the last digit are omitted. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xffff;
    bitCount += 8;
    for (; bitCount >= 6; bitCount -= 6) text += DIGITS.charAt((bits >> (bitCount - 6)) & 63);
  }
  return text;
}
