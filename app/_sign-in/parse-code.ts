/** Parses a typed or pasted code with spaces, hyphens or full-width digits. Returns `undefined` for anything else. */
export function parseCode(text: string): string | undefined {
  const digits = text.normalize('NFKC').replace(/[\s-]/g, '');
  return /^\d{6}$/.test(digits) ? digits : undefined;
}
