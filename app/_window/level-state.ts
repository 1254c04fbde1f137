/** A level of a policy as the header fields of an answer tell it. */
export interface LevelState {
  limit: number;
  windowMs: number;
  remaining: number;
  /** Until the oldest hit leaves, or, where the level is full, until the next call fits. 0 where it is empty. */
  returnsMs: number;
}

/**
 * Reads `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11) for one level, `policy:level`.
 * `undefined` where the answer says nothing of it, as a refusal by another level does.
 */
export function levelState(headers: Headers, name: string): LevelState | undefined {
  const { q, w } = parametersOf(headers.get('ratelimit-policy'), name);
  const { r, t = 0 } = parametersOf(headers.get('ratelimit'), name);
  if (q === undefined || w === undefined || r === undefined) return undefined;
  return { limit: q, windowMs: w * 1_000, remaining: r, returnsMs: t * 1_000 };
}

/** The numbers behind one item of a list: `"a";q=3;w=60, "b";q=30;w=60`. Our names have no commas. */
function parametersOf(field: string | null, name: string): Record<string, number | undefined> {
  const item = (field ?? '').split(', ').find((text) => text.startsWith(`"${name}";`));
  const parameters = (item ?? '').split(';').slice(1);
  return Object.fromEntries(
    parameters.map((text) => text.split('=')).map(([key, value]) => [key, Number(value)]),
  );
}
