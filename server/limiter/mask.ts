/**
 * What may be shown of a subject that is personal: enough for an operator to know it again beside what they know
 * already, too little to find anybody by it.
 */
export function maskSubject(subject: string): string {
  const characters = [...subject];
  if (characters.length < 8) return `${characters[0] ?? ''}…`;
  return `${characters.slice(0, 3).join('')}…${characters.slice(-2).join('')}`;
}
