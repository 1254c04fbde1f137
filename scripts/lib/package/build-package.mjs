import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runOrThrow } from '../run-command.mjs';

const source = 'server/limiter';
/** The folder of the package; the tarball is inside. */
const packageFolder = 'dist/package';
const FAILED = { problem: 'The package was not built:', hint: 'Run: npm run package' };

/**
 * Builds the package of the limiter with tsdown, and packs it. Its manifest gets the version of the product. Returns the path of
 * the tarball.
 *
 * @param {string} [folder]
 * @returns {Promise<string>}
 */
export async function buildPackage(folder = packageFolder) {
  const building = `${path.resolve(folder)}.building`;
  await rm(building, { recursive: true, force: true });
  await mkdir(building, { recursive: true });
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  const manifest = { ...JSON.parse(await readFile(`${source}/package.json`, 'utf8')), version };
  await Promise.all([
    runOrThrow(
      'node_modules/.bin/tsdown',
      ['--config', `${source}/tsdown.config.ts`, '--out-dir', path.join(building, 'dist')],
      FAILED,
    ),
    writeFile(path.join(building, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`),
    ...['README.md', 'CHANGELOG.md'].map((file) => cp(path.join(source, file), path.join(building, file))),
    cp('LICENSE', path.join(building, 'LICENSE')),
  ]);
  await runOrThrow('npm', ['pack', '--pack-destination', '.', '--ignore-scripts'], {
    cwd: building,
    ...FAILED,
  });
  await rm(folder, { recursive: true, force: true });
  await rename(building, folder);
  return path.join(folder, `${manifest.name}-${version}.tgz`);
}
