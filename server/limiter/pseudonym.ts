import { createHmac } from 'node:crypto';

/**
 * Returns the pseudonym of a personal subject: 128 bits of an HMAC-SHA256. The input is JSON, because UTF-8 would encode
 * different lone surrogates alike.
 */
export function pseudonymOf(subject: string, secret: string): string {
  const hmac = createHmac('sha256', secret).update(JSON.stringify(subject));
  return hmac.digest('base64url').slice(0, 22);
}
