import { hashContent, isStamped, writeStamp } from '../../scripts/lib/files.mjs';
import { runOrThrow } from '../../scripts/lib/processes.mjs';

const stamp = 'bench/node_modules/.floodgate-install';

/**
 * Installs the contenders' packages by their lock file, if they are missing. After that, nothing uses the network.
 *
 * @param {(text: string) => void} note
 */
export async function installPeers(note) {
  const hash = await hashContent(['bench/package.json', 'bench/package-lock.json']);
  if (await isStamped(stamp, hash)) return note('up to date');
  await runOrThrow('npm', ['install', '--no-save', '--no-audit', '--no-fund'], {
    cwd: 'bench',
    problem: 'npm install failed in bench/:',
    hint: 'Without a registry, `npm run bench -- --offline` measures only installed contenders.',
  });
  await writeStamp(stamp, hash);
}
