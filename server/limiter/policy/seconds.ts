import type { ResolvedPolicy } from './policy';

/** A window below a second whose number of ms is a usual number of seconds: up to a minute, or whole minutes. */
function looksLikeSeconds(windowMs: number): boolean {
  return windowMs <= 60 || (windowMs < 1_000 && windowMs % 60 === 0);
}

/** Warns of the first window of a policy that looks like seconds. */
export function warnOfSeconds(
  { name, levels }: ResolvedPolicy,
  onWarning: ((message: string) => void) | undefined,
): void {
  for (const { level, algorithm, windowMs, plans } of levels) {
    const windows = Object.values(plans?.windowMs?.values ?? { windowMs });
    const found = windows.find(looksLikeSeconds);
    if (found === undefined || algorithm === 'in-flight') continue;
    onWarning?.(
      `Level "${name}:${level}" has a window of ${found} ms. If you mean ${found} seconds, use windowMs: ${found}_000.`,
    );
    return;
  }
}
