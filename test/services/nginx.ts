import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Service, spawnService } from '../../scripts/lib/services/spawn-service.mjs';
import { StepError } from '../../scripts/lib/steps.mjs';
import { findNginx } from '../../scripts/lib/tools.mjs';

interface NginxSettings {
  /** The folder of its files: process id, bodies, buffered answers. */
  dir: string;
  port: number;
  /** `host:port` of node-1, node-2, …. */
  nodes: string[];
}

/** Starts nginx with the shipped nginx.conf in front of nodes on this machine. Send SIGHUP to its `pid` to reload it. */
export function startNginx({ dir, port, nodes }: NginxSettings): Promise<Service> {
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
    { binary, libraryPath, args: nginxArguments(conf), port },
    { logFile: path.join(folder, 'nginx.log'), folder: new URL('.', import.meta.url) },
  );
}

/**
 * Adapts deploy/nginx/nginx.conf to this machine: replaces host names, the listening address and file paths. All other
 * lines stay. Throws if a name is not found exactly once, so that a changed file cannot be tested in part.
 */
export function adaptNginxConf(
  conf: string,
  { dir, port, nodes, mimeTypes }: NginxSettings & { mimeTypes: string },
): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${path.join(dir, kind)};`,
  );
  const replacements: [string, string][] = [
    ['include /etc/nginx/mime.types;', `include ${mimeTypes};`],
    ['pid /tmp/nginx.pid;', `pid ${path.join(dir, 'nginx.pid')};`],
    ['listen 8080 ', `listen 127.0.0.1:${port} `],
    ['http {\n', `http {\n${temporary.join('\n')}\n`],
    ...nodes.map((address, index): [string, string] => [`node-${index + 1}:3000`, address]),
  ];
  return replacements.reduce((text, [name, value]) => {
    if (text.split(name).length !== 2)
      throw new Error(`nginx.conf must contain ${JSON.stringify(name)} once.`);
    return text.replace(name, () => value);
  }, conf);
}

/**
 * Returns the arguments of nginx for an adapted file: in the foreground, with its errors on stderr. As root, its workers
 * also run as root, because another user cannot enter a private folder.
 */
export function nginxArguments(conf: string): string[] {
  const user = process.getuid?.() === 0 ? ' user root;' : '';
  return ['-e', 'stderr', '-c', conf, '-g', `daemon off;${user}`];
}
