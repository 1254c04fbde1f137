import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHmacSha256, createRandomId, hmacSha256, toBase64Url } from './crypto';

test('the library and the module of Node compute one HMAC', () => {
  const ofLibrary = createHmacSha256(undefined);
  // The text of a key is JSON, in which a lone surrogate is escaped.
  const texts = fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text));
  const secrets = fc.string({ unit: 'grapheme', minLength: 32, maxLength: 200 });
  fc.assert(
    fc.property(secrets, texts, (secret, text) => {
      const [one, other] = [ofLibrary(secret, text), hmacSha256(secret, text)].map(toBase64Url);
      return one === other;
    }),
  );
});

test('bytes are encoded as Node does', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      // A last digit of fewer bits is omitted.
      const digits = Math.floor((8 * bytes.length) / 6);
      return toBase64Url(bytes) === Buffer.from(bytes).toString('base64url').slice(0, digits);
    }),
  );
});

test('an id has 12 digits', () => {
  expect(createRandomId()).toMatch(/^[\w-]{12}$/);
});
