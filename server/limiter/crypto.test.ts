import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHmacSha256, createRandomId, hmacSha256, readDigits, toBase64Url } from './crypto';

test('the library and the module of Node compute one HMAC', () => {
  const ofLibrary = createHmacSha256(undefined);
  // The text of a key is JSON, in which a lone surrogate is escaped.
  const texts = fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text));
  const secrets = fc.string({ unit: 'grapheme', minLength: 32, maxLength: 200 });
  fc.assert(
    fc.property(secrets, texts, (secret, text) => ofLibrary(secret, text) === hmacSha256(secret, text)),
  );
});

test('bytes are encoded as Node does, and digits are read as it does', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => toBase64Url(bytes) === Buffer.from(bytes).toString('base64url')),
  );
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 6, maxLength: 6 }),
      (bytes) => readDigits(toBase64Url(bytes)) === Buffer.from(bytes).readUIntBE(0, 6),
    ),
  );
});

test('an id has 12 digits', () => {
  expect(createRandomId()).toMatch(/^[\w-]{12}$/);
});
