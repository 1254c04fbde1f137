import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * @returns {string | undefined} A browser of this system: `CHROMIUM_PATH`, else the first /usr/bin/chromium*.
 *   Undefined leaves the choice to Playwright, which may have downloaded its own.
 */
export function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named) return named;
  if (!existsSync('/usr/bin')) return undefined;
  const name = readdirSync('/usr/bin')
    .toSorted()
    .find((file) => /^chromium(-browser)?$/.test(file));
  return name && path.join('/usr/bin', name);
}
