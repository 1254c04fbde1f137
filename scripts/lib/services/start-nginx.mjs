import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StepError } from '../step-error.mjs';
import { findNginx } from '../tools/find-nginx.mjs';
import { adaptNginxConf } from './nginx-conf.mjs';
import { spawnService } from './spawn-service.mjs';

/**
 * Starts nginx with the shipped nginx.conf in front of nodes on this machine. Send SIGHUP to its `pid` to reload it.
 *
 * @param {{ dir: string, port: number, nodes: string[] }} settings  `nodes`: `host:port` of each.
 * @returns {Promise<import('./spawn-service.mjs').Service>}
 */
export function startNginx({ dir, port, nodes }) {
  const nginx = findNginx();
  if (!nginx) {
    throw new StepError('No nginx on PATH or under .data/tools.', {
      hint: 'Run `npm test` once: on Debian it downloads one. On other systems, install it.',
    });
  }
  const { binary, libraryPath, mimeTypes } = nginx;
  const folder = path.resolve(dir);
  mkdirSync(folder, { recursive: true });
  const conf = path.join(folder, 'nginx.conf');
  const shipped = readFileSync('deploy/nginx/nginx.conf', 'utf8');
  writeFileSync(conf, adaptNginxConf(shipped, { dir: folder, port, nodes, mimeTypes }));
  return spawnService(
    'nginx',
    { binary, libraryPath, conf, port },
    { logFile: path.join(folder, 'nginx.log') },
  );
}
