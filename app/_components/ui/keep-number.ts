/** Keeps the number of a house on the line of its street: `9 Canal Steps`, `渡口街 21 号`. */
export function keepNumber(address: string): string {
  return address.replace(/(?<=\d) | (?=\d)/g, '\u00a0');
}
