/** Masks a personal subject: operators can recognise it, but cannot identify a person from it. */
export function maskSubject(subject: string): string {
  const characters = [...subject];
  if (characters.length < 8) return `${characters[0] ?? ''}…`;
  return `${characters.slice(0, 3).join('')}…${characters.slice(-2).join('')}`;
}
