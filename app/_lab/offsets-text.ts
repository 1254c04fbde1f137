/** So many fit into an address that every server and every chat accepts. */
export const mostOffsets = 1_000;
const longestMs = 3_600_000;

/**
 * Ascending offsets as a short text: the steps between them in base 36, and nothing for no step. Worked: 0, 250, 250
 * and 1 000 are `0.6y..ku`.
 */
export function textOf(offsets: readonly number[]): string {
  return offsets
    .map((offset, place) => {
      const step = offset - (offsets[place - 1] ?? 0);
      return step === 0 && place > 0 ? '' : step.toString(36);
    })
    .join('.');
}

/** Reads that text. What is no step ends the list, and so do the thousandth offset and the first after an hour. */
export function offsetsOf(text: string): number[] {
  const offsets: number[] = [];
  if (text === '') return offsets;
  let at = 0;
  for (const step of text.split('.')) {
    if (!/^[0-9a-z]{0,5}$/.test(step)) break;
    at += step === '' ? 0 : Number.parseInt(step, 36);
    if (at > longestMs || offsets.length === mostOffsets) break;
    offsets.push(at);
  }
  return offsets;
}
