/** The id of a window's meter on the page, for what refers to it. */
export function meterId({ policy, level }: { policy: string; level: string }): string {
  return `window-${policy}-${level}`;
}
