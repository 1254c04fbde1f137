/** Parses untrusted JSON. Returns `undefined` for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Checks that a value is an array and that every item passes `isItem`. An empty array passes. */
export function isListOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(isItem);
}

/** Checks for a finite number; NaN and the infinities fail. */
export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Checks for an object whose properties can be read. Arrays pass, null does not. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Checks for an object whose named fields are texts and finite numbers. */
export function hasFields(
  value: unknown,
  { texts = [], numbers = [] }: { texts?: readonly string[]; numbers?: readonly string[] },
): value is Record<string, unknown> {
  return (
    isRecord(value) &&
    texts.every((field) => typeof value[field] === 'string') &&
    numbers.every((field) => isNumber(value[field]))
  );
}
