/** Writes epoch ms for a CSV file, in UTC: `2026-11-22T18:07:00.000Z`. */
export function toCsvInstant(at: number): string {
  return new Date(at).toISOString();
}
