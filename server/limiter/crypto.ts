import { hmac } from '@noble/hashes/hmac';
import { sha256 } from '@noble/hashes/sha2';

/** Returns the HMAC-SHA256 of a text in base64url. */
type HmacSha256 = (secret: string, text: string) => string;

/** Creates the function that computes HMACs: by the module of Node if the runtime has it, else by a library. */
export function createHmacSha256(node: typeof import('node:crypto') | undefined): HmacSha256 {
  if (!node) return (secret, text) => toBase64Url(hmac(sha256, secret, text));
  return (secret, text) => node.createHmac('sha256', secret).update(text).digest('base64url');
}

/** Not an import, which bundlers for other runtimes refuse. */
export const hmacSha256: HmacSha256 = createHmacSha256(globalThis.process?.getBuiltinModule?.('node:crypto'));

/** Returns a random id: 12 characters, as scripts store it, of 72 bits, so that two never collide. */
export function createRandomId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(9)));
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Encodes bytes in base64url, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xffff;
    bitCount += 8;
    for (; bitCount >= 6; bitCount -= 6) text += DIGITS.charAt((bits >> (bitCount - 6)) & 63);
  }
  return bitCount > 0 ? text + DIGITS.charAt((bits << (6 - bitCount)) & 63) : text;
}

/** Returns the number that at most 8 digits of base64url encode. */
export function readDigits(text: string): number {
  return [...text].reduce((number, digit) => 64 * number + DIGITS.indexOf(digit), 0);
}
