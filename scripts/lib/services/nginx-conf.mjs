import path from 'node:path';

/**
 * @typedef {object} NginxPlace
 * @property {string} dir  Takes its files: process id, bodies, buffered answers.
 * @property {number} port
 * @property {string[]} nodes  `host:port` of node-1, node-2, ….
 * @property {string} mimeTypes
 */

/**
 * Fits deploy/nginx/nginx.conf to a machine without the fleet's network: names of hosts, the address to listen on and the
 * places of files are replaced, every other line stays as it is shipped. Throws where a name is not found, so that a
 * changed file cannot be tested in part.
 *
 * @param {string} conf
 * @param {NginxPlace} place
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
 * @returns {string[]} How nginx is called with a fitted file: in the foreground, its own errors on stderr. Workers of a
 *   master that is root would be another user, who cannot enter a private folder.
 */
export function nginxArguments(conf) {
  const user = process.getuid?.() === 0 ? ' user root;' : '';
  return ['-e', 'stderr', '-c', conf, '-g', `daemon off;${user}`];
}
