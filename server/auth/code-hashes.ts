import { createHmac } from 'node:crypto';

/** A request for a code: the address that receives it, and the browser that may redeem it. */
export interface CodeRequest {
  email: string;
  /** The random id in the cookie of the browser. */
  browserId: string;
}

/** The hashes that the table holds instead of addresses, browsers and codes. */
export interface CodeHashes {
  /** Hashes a request. The hash is equal for the same e-mail and browser, so that a newer code replaces the older one. */
  request(request: CodeRequest): string;
  /** Hashes a code together with its request, so that equal codes of two requests have different hashes. */
  code(request: CodeRequest & { code: string }): string;
}

/**
 * Creates keyed hashes. A code has only a million values, so a plain hash of one is easily reversed. The secret protects
 * rows that leak without it, for example in a log of slow statements or in an export.
 */
export function createCodeHashes(secret: string): CodeHashes {
  const hmac = (...parts: string[]) =>
    createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url');
  return {
    request: ({ email, browserId }) => hmac('request', email, browserId),
    code: ({ email, browserId, code }) => hmac('code', email, browserId, code),
  };
}
