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

/**
 * Checks that a value has the fields of an example, with values of the same types, and that each item of a list is like the
 * first one of the example's list. `null` in an example stands for any value.
 */
export function isLike<Value>(value: unknown, example: Value): value is Value {
  if (example === null || example === undefined) return true;
  if (Array.isArray(example)) return Array.isArray(value) && value.every((item) => isLike(item, example[0]));
  if (!isRecord(example)) return typeof value === typeof example;
  return isRecord(value) && Object.entries(example).every(([field, like]) => isLike(value[field], like));
}
