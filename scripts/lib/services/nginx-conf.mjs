import path from 'node:path';

/**
 * @typedef {object} NginxSettings
 * @property {string} dir  The folder of its files: process id, bodies, buffered answers.
 * @property {number} port
 * @property {string[]} nodes  `host:port` of node-1, node-2, ….
 * @property {string} mimeTypes
 */

/**
 * Adapts deploy/nginx/nginx.conf to this machine: replaces host names, the listening address and file paths. All other
 * lines stay. Throws if a name is not found exactly once, so that a changed file cannot be tested in part.
 *
 * @param {string} conf
 * @param {NginxSettings} settings
 * @returns {string}
 */
export function adaptNginxConf(conf, { dir, port, nodes, mimeTypes }) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${path.join(dir, kind)};`,
  );
  /** @type {[string, string][]} */
  const replacements = [
    ['include /etc/nginx/mime.types;', `include ${mimeTypes};`],
    ['pid /tmp/nginx.pid;', `pid ${path.join(dir, 'nginx.pid')};`],
    ['listen 8080 ', `listen 127.0.0.1:${port} `],
    ['http {\n', `http {\n${temporary.join('\n')}\n`],
    ...nodes.map((address, index) => /** @type {[string, string]} */ ([`node-${index + 1}:3000`, address])),
  ];
  return replacements.reduce((text, [name, value]) => {
    if (text.split(name).length !== 2)
      throw new Error(`nginx.conf must contain ${JSON.stringify(name)} once.`);
    return text.replace(name, () => value);
  }, conf);
}

/**
 * @param {string} conf
 * @returns {string[]} The arguments of nginx for an adapted file: in the foreground, with its errors on stderr. As root,
 *   its workers also run as root, because another user cannot enter a private folder.
 */
export function nginxArguments(conf) {
  const user = process.getuid?.() === 0 ? ' user root;' : '';
  return ['-e', 'stderr', '-c', conf, '-g', `daemon off;${user}`];
}
