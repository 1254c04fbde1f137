/** Returns the element id of a window's name and count. */
export function meterId({ policy, level }: { policy: string; level: string }): string {
  return `window-${policy}-${level}`;
}
