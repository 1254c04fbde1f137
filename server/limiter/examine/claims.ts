/** The header fields that are read. */
export const claimHeaders = /^(x-)?ratelimit(-policy|-limit|-remaining|-reset)?$|^retry-after$/;

const UNITS = /(?:^\s*|q=)(\d+)/;
const REMAINING = /\b(?:r|remaining)=(\d+)/;

/** The statements of one answer about its limit. */
export type Claims = Partial<
  Record<'limit' | 'windowMs' | 'remaining' | 'resetMs' | 'retryAfterMs', number | undefined>
>;

/** Reads the fields of drafts 3 to 11 of RateLimit, of X-RateLimit and Retry-After. Of several policies, the tightest. */
export function readClaims(headers: Readonly<Record<string, string>>): Claims {
  const policy = findTightest(headers['ratelimit-policy'] ?? headers['ratelimit-limit'], UNITS);
  const state = findTightest(headers.ratelimit, REMAINING);
  const find = (name: string) => headers[`ratelimit-${name}`] ?? headers[`x-ratelimit-${name}`];
  const toMs = (seconds: number | undefined) => seconds && seconds * 1_000;
  return {
    limit: read(policy, UNITS) ?? read(state, /limit=(\d+)/) ?? read(find('limit'), UNITS),
    windowMs: toMs(read(policy, /w=(\d+)/)),
    remaining: read(state, REMAINING) ?? read(find('remaining'), UNITS),
    resetMs: toMs(read(state, /\b(?:t|reset)=(\d+)/)) ?? toDelayMs(find('reset')),
    retryAfterMs: toDelayMs(headers['retry-after']),
  };
}

function read(text = '', pattern: RegExp): number | undefined {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Returns the item with the smallest number. Draft 7 has one state: `limit=10, remaining=9, reset=2`. */
function findTightest(field = '', number: RegExp): string | undefined {
  const items = field.includes('limit=') ? [field] : field.split(',');
  return items.sort((one, other) => (read(one, number) ?? 0) - (read(other, number) ?? 0))[0];
}

/** Reads seconds, epoch seconds, epoch ms or a date. */
function toDelayMs(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const value = Number(text);
  if (Number.isNaN(value)) return Math.max(0, Date.parse(text) - Date.now());
  if (value > 1e12) return Math.max(0, value - Date.now());
  return value > 1e9 ? Math.max(0, value * 1_000 - Date.now()) : value * 1_000;
}
