/** Fits into a URL that servers and chat programs accept. */
export const MAX_OFFSETS = 1_000;
const MAX_SPAN_MS = 3_600_000;

/**
 * Encodes ascending offsets as steps in base 36. A step of 0 is empty. Example: 0, 250, 250 and 1 000 become `0.6y..ku`.
 */
export function encodeOffsets(offsets: readonly number[]): string {
  return offsets
    .map((offset, index) => {
      const step = offset - (offsets[index - 1] ?? 0);
      return step === 0 && index > 0 ? '' : step.toString(36);
    })
    .join('.');
}

/** Decodes that text. An invalid step, the 1,000th offset, and the first offset after one hour end the list. */
export function decodeOffsets(text: string): number[] {
  const offsets: number[] = [];
  if (text === '') return offsets;
  let at = 0;
  for (const step of text.split('.')) {
    if (!/^[0-9a-z]{0,5}$/.test(step)) break;
    at += step === '' ? 0 : Number.parseInt(step, 36);
    if (at > MAX_SPAN_MS || offsets.length === MAX_OFFSETS) break;
    offsets.push(at);
  }
  return offsets;
}
