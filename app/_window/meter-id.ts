/** The id of the name and count of a window on the page, for what refers to them. */
export function meterId({ policy, level }: { policy: string; level: string }): string {
  return `window-${policy}-${level}`;
}
