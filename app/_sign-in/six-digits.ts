/** The code in what was typed or pasted, with its spaces, hyphens or wide digits; `undefined` where there is none. */
export function sixDigits(text: string): string | undefined {
  const digits = text.normalize('NFKC').replace(/[\s-]/g, '');
  return /^\d{6}$/.test(digits) ? digits : undefined;
}
