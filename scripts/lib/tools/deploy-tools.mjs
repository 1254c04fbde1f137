import { findNginx } from '../services/find-nginx.mjs';
import { findPromtool } from '../services/find-promtool.mjs';
import { isDebian, unpackDebianPackages } from './debian-packages.mjs';

/**
 * Provides nginx and promtool, which check the files in deploy/. Elsewhere than on Debian they are left out where they
 * are not installed, and so are the checks that need them: the product itself runs without both.
 *
 * @param {(text: string) => void} note
 */
export async function provideDeployTools(note) {
  const missing = [
    ...(findNginx() ? [] : ['nginx', 'nginx-common']),
    ...(findPromtool() ? [] : ['prometheus']),
  ];
  // Prometheus's own pages need libraries of JavaScript; promtool does not.
  if (missing.length > 0 && isDebian()) await unpackDebianPackages(missing, { without: /^libjs-/ });
  const found = { nginx: findNginx()?.binary, promtool: findPromtool()?.binary };
  note(
    Object.entries(found)
      .map(([name, binary]) => binary ?? `no ${name}: its checks are left out`)
      .join(', '),
  );
}
