import { createHmac } from 'node:crypto';

/**
 * A stable name for something personal, which does not give it away without the secret: 128 bits of an HMAC-SHA256.
 * JSON keeps strings apart that UTF-8 would merge (lone surrogates).
 */
export function pseudonymOf(subject: string, secret: string): string {
  const hmac = createHmac('sha256', secret).update(JSON.stringify(subject));
  return hmac.digest('base64url').slice(0, 22);
}
