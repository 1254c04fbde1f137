/** The statements of one answer about its limit. */
export interface Claims {
  limit?: number;
  windowMs?: number;
  remaining?: number;
  /** Time until units return, by RateLimit or X-RateLimit-Reset. */
  resetMs?: number;
  /** By Retry-After. */
  retryAfterMs?: number;
}

/** The header fields that are read. */
export const claimHeaders = [
  'ratelimit-policy',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
] as const;

/** Reads the header fields of drafts 6 to 11 of RateLimit, of X-RateLimit and Retry-After. Of several policies, the tightest. */
export function readClaims(headers: Readonly<Record<string, string>>, epochMs: number): Claims {
  const claims: Claims = {};
  const set = (field: keyof Claims, value: number | undefined, factor = 1) => {
    if (value !== undefined && Number.isFinite(value) && value >= 0) claims[field] ??= value * factor;
  };
  const policy = tightest(headers['ratelimit-policy'] ?? headers['ratelimit-limit'] ?? '', ['q', '']);
  set('limit', policy?.value);
  set('windowMs', policy?.parameters.get('w'), 1_000);
  const state = tightest(headers.ratelimit ?? '', ['r', 'remaining']);
  set('remaining', state?.value);
  set('limit', state?.parameters.get('limit'));
  set('resetMs', state?.parameters.get('t') ?? state?.parameters.get('reset'), 1_000);
  for (const prefix of ['ratelimit', 'x-ratelimit']) {
    set('limit', toNumber(headers[`${prefix}-limit`]));
    set('remaining', toNumber(headers[`${prefix}-remaining`]));
    set('resetMs', toDelayMs(headers[`${prefix}-reset`], epochMs));
  }
  set('retryAfterMs', toDelayMs(headers['retry-after'], epochMs));
  return claims;
}

/** Returns the parameters of the list item with the smallest value of one of the keys. `''`: the item itself. */
function tightest(text: string, keys: readonly string[]) {
  if (text.trim() === '') return undefined;
  const isOneState = /^\s*(limit|remaining|reset)=/i.test(text);
  const items = (isOneState ? [text.replaceAll(',', ';')] : text.split(',')).flatMap((item) => {
    const parameters = new Map(
      item.split(';').map((part) => {
        const [key = '', value] = part.trim().split('=');
        return value === undefined
          ? (['', Number(key)] as const)
          : ([key.toLowerCase(), Number(value)] as const);
      }),
    );
    const value = keys
      .map((key) => parameters.get(key))
      .find((one) => one !== undefined && Number.isFinite(one));
    return value === undefined ? [] : [{ value, parameters }];
  });
  return items.sort((one, other) => one.value - other.value)[0];
}

function toNumber(text: string | undefined): number | undefined {
  return text === undefined || text.trim() === '' ? undefined : Number.parseFloat(text);
}

/** Reads seconds, epoch seconds, epoch ms or a date. */
function toDelayMs(text: string | undefined, epochMs: number): number | undefined {
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (Number.isNaN(value)) return Math.max(0, Date.parse(text) - epochMs);
  if (value > 1e12) return Math.max(0, value - epochMs);
  return value > 1e9 ? Math.max(0, value * 1_000 - epochMs) : value * 1_000;
}
