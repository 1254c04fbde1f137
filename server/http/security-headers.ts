import { randomBytes } from 'node:crypto';

export interface SecurityHeaderOptions {
  /** True if browsers use https. Only then is plain http forbidden for a year. */
  https: boolean;
  /** Development needs `eval` (React's stacks), inline style elements and a web socket (hot reload). */
  dev: boolean;
}

export interface SecurityHeaders {
  /** Returns the headers of a page. Its scripts and styles carry the nonce. */
  page(nonce: string): Record<string, string>;
  /** The headers of all other answers: browsers must not render, execute or store them. */
  api: Record<string, string>;
}

/** Returns 128 random bits, new for each request. */
export function createNonce(): string {
  return randomBytes(16).toString('base64');
}

/** Creates the security headers once. A request adds only its nonce. */
export function createSecurityHeaders({ https, dev }: SecurityHeaderOptions): SecurityHeaders {
  const everywhere: Record<string, string> = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    ...(https ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
  const pages = {
    ...everywhere,
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'x-frame-options': 'DENY',
  };
  return {
    page: (nonce) => ({ ...pages, 'content-security-policy': contentSecurityPolicy(nonce, { https, dev }) }),
    api: {
      ...everywhere,
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
    },
  };
}

/**
 * Returns the policy: scripts need the nonce, and the scripts that they load run by `strict-dynamic` (`'self'` is for
 * browsers without it). Style elements need the nonce, too. Style attributes are allowed, because React renders
 * `style={…}` into the HTML.
 */
function contentSecurityPolicy(nonce: string, { https, dev }: SecurityHeaderOptions): string {
  const directives = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${dev ? " 'unsafe-eval'" : ''}`,
    dev ? "style-src 'self' 'unsafe-inline'" : `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${dev ? ' ws:' : ''}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  if (https) directives.push('upgrade-insecure-requests');
  return directives.join('; ');
}
