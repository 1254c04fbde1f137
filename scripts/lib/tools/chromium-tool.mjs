import { existsSync } from 'node:fs';
import { runCommand, tail } from '../run-command.mjs';
import { StepError } from '../step-error.mjs';
import { isDebian } from './debian-packages.mjs';
import { findTestChromium } from './find-chromium.mjs';

/** The font with Chinese characters. Without it, screenshots show boxes. */
const cjkFont = '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc';

/** The headless shell needs 20 % less CPU time for the tests than the whole browser. */
const shell = ['chromium-headless-shell', 'fonts-noto-cjk'];
/** For Debian releases without the headless shell. */
const browser = ['chromium', 'fonts-noto-cjk'];
const installBrowser = `apt-get ${installArgs(browser).join(' ')}`;

/**
 * Provides Chromium for the end-to-end tests. It has too many libraries to be unpacked under `.data/`, so it is installed,
 * which requires root.
 *
 * @param {(text: string) => void} note
 * @param {Promise<unknown>} [packages]  Settles when the packages are installed, including Playwright. Default: already settled.
 */
export async function provideChromium(note, packages = Promise.resolve()) {
  if (isDebian() && process.getuid?.() === 0) {
    if (!findTestChromium()?.endsWith('headless-shell') || !existsSync(cjkFont)) await aptInstall();
  } else if (!findTestChromium() && !(await hasPlaywrightChromium(packages))) {
    throw new StepError('No Chromium found for the end-to-end tests.', {
      hint: isDebian() ? `Run: sudo ${installBrowser}` : 'Run: npx playwright install chromium',
    });
  }
  note(findTestChromium() ?? "Playwright's own");
}

async function aptInstall() {
  const update = await runApt(['update']);
  const first = await runApt(installArgs(shell));
  const { code, output } = first.code === 0 ? first : await runApt(installArgs(browser));
  if (code === 0 || findTestChromium()) return;
  throw new StepError(`${installBrowser} failed (exit ${code}):\n${tail(update.output + output, 10)}`, {
    hint: 'Check /etc/apt/sources.list* and the proxy: apt-config dump | grep -i proxy',
  });
}

/** @param {string[]} packages */
function installArgs(packages) {
  return ['install', '-y', '--no-install-recommends', ...packages];
}

/** @param {string[]} args */
function runApt(args) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  return runCommand('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], { env });
}

/** @param {Promise<unknown>} packages */
async function hasPlaywrightChromium(packages) {
  await packages;
  const { chromium } = await import('playwright');
  return existsSync(chromium.executablePath());
}
