import { existsSync } from 'node:fs';
import { runCommand, tail } from '../run-command.mjs';
import { StepError } from '../step-error.mjs';
import { isDebian } from './debian-packages.mjs';
import { findChromium } from './find-chromium.mjs';

/** The folder of the one font that draws every Chinese sign; without it screenshots show boxes. */
const cjkFont = '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc';

const aptPackages = ['chromium', 'fonts-noto-cjk'];

/**
 * Makes sure that there is a Chromium for the end-to-end tests. A browser has far too many libraries to be
 * unpacked beside the project, so this one is installed, which takes root.
 *
 * @param {(text: string) => void} note
 * @param {Promise<unknown>} packages  Settles once the packages are installed, among them Playwright.
 */
export async function provideChromium(note, packages) {
  const aptCommand = `apt-get install -y --no-install-recommends ${aptPackages.join(' ')}`;
  if (isDebian() && process.getuid?.() === 0) {
    if (!findChromium() || !existsSync(cjkFont)) await aptInstall(aptCommand);
  } else if (!findChromium() && !(await hasPlaywrightChromium(packages))) {
    throw new StepError('No Chromium found for the end-to-end tests.', {
      hint: isDebian() ? `Run: sudo ${aptCommand}` : 'Run: npx playwright install chromium',
    });
  }
  note(findChromium() ?? "Playwright's own");
}

/** @param {string} command */
async function aptInstall(command) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const [program = '', ...args] = [
    'apt-get',
    '-o',
    'DPkg::Lock::Timeout=300',
    ...command.split(' ').slice(1),
  ];
  const update = await runCommand(program, ['update'], { env });
  const { code, output } = await runCommand(program, args, { env });
  if (code === 0) return;
  throw new StepError(`${command} failed (exit ${code}):\n${tail(update.output + output, 10)}`, {
    hint: 'Look at /etc/apt/sources.list* and at the proxy: apt-config dump | grep -i proxy',
  });
}

/** @param {Promise<unknown>} packages */
async function hasPlaywrightChromium(packages) {
  await packages;
  const { chromium } = await import('playwright');
  return existsSync(chromium.executablePath());
}
