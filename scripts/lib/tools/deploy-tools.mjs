import { isDebian, unpackDebianPackages } from './debian-packages.mjs';
import { findNginx } from './find-nginx.mjs';
import { findPromtool } from './find-promtool.mjs';

/**
 * Provides nginx and promtool, which check the files in deploy/. On systems other than Debian, checks are skipped if their
 * tool is not installed: the product runs without both.
 *
 * @param {(text: string) => void} note
 */
export async function provideDeployTools(note) {
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
