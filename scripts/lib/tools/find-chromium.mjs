import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Finds a browser of this system: `CHROMIUM_PATH`, else the first of these names in /usr/bin.
 *
 * @param {string[]} [names]  Default: the whole browser before the headless shell.
 * @returns {string | undefined} Undefined makes Playwright use its own browser.
 */
export function findChromium(names = ['chromium', 'chromium-browser', 'chromium-headless-shell']) {
  const files = names.map((name) => path.join('/usr/bin', name));
  return process.env.CHROMIUM_PATH || files.find((file) => existsSync(file));
}

/**
 * The arguments with which every script starts Chromium. Its sandbox refuses to run as root.
 *
 * @type {string[]}
 */
export const chromiumArgs = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** Finds a browser for the end-to-end tests: the headless shell before the whole browser. */
export function findTestChromium() {
  return findChromium(['chromium-headless-shell', 'chromium', 'chromium-browser']);
}
