import { createHmac } from 'node:crypto';

/** A code that was asked for: whose address it was sent to, and which browser may redeem it. */
export interface CodeRequest {
  email: string;
  /** The random id in the cookie of the browser. */
  browserId: string;
}

/** What stands in the table instead of addresses, browsers and codes. */
export interface CodeHashes {
  /** Names the request: equal for the same e-mail and browser, so that a newer code replaces the older. */
  request(request: CodeRequest): string;
  /** Of the code, bound to its request: equal codes of two requests have nothing in common. */
  code(request: CodeRequest & { code: string }): string;
}

/**
 * A code has only a million values, so a plain hash of one is as good as the code. The secret makes the difference for
 * who sees the table's rows but not the secret, as in a log of slow statements or in an export.
 */
export function createCodeHashes(secret: string): CodeHashes {
  const hmac = (...parts: string[]) =>
    createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url');
  return {
    request: ({ email, browserId }) => hmac('request', email, browserId),
    code: ({ email, browserId, code }) => hmac('code', email, browserId, code),
  };
}
