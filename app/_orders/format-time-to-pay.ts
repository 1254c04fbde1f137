/** Formats the time left to pay, in whole seconds, as minutes and seconds: `14:59`. */
export function formatTimeToPay(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
