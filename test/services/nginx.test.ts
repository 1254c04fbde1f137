import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findNginx, programEnv } from '../../scripts/lib/tools.mjs';
import { adaptNginxConf, nginxArguments } from './nginx';

const shipped = readFileSync('deploy/nginx/nginx.conf', 'utf8');
const nodes = ['127.0.0.1:21001', '127.0.0.1:21002', '127.0.0.1:21003'];

test('a drill replaces host names, one address and file paths, and no other line', () => {
  const fitted = adaptNginxConf(shipped, { dir: '/d', port: 21_000, nodes, mimeTypes: '/m' }).split('\n');
  const lines = new Set(shipped.split('\n'));
  expect(fitted.filter((line) => !lines.has(line)).map((line) => line.trim())).toEqual([
    'pid /d/nginx.pid;',
    ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path /d/${kind};`),
    'include /m;',
    ...nodes.map((address) => `server ${address} max_fails=3 fail_timeout=2s;`),
    'listen 127.0.0.1:21000 default_server;',
  ]);
});

test('a file without an expected name throws', () => {
  const settings = { dir: '/d', port: 1, nodes: [...nodes, '127.0.0.1:4'], mimeTypes: '/m' };
  expect(() => adaptNginxConf(shipped, settings)).toThrow('nginx.conf must contain "node-4:3000" once.');
});

// `npm test` provides nginx on Debian. On other systems, the test is skipped if nginx is not installed.
const nginx = findNginx();
if (nginx) {
  test('nginx -t accepts the shipped file', () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'floodgate-nginx-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const conf = path.join(dir, 'nginx.conf');
    writeFileSync(conf, adaptNginxConf(shipped, { dir, port: 21_000, nodes, mimeTypes: nginx.mimeTypes }));
    // nginx opens /dev/stdout and /dev/stderr by name, which does not work with a pipe of Node.
    const log = path.join(dir, 'nginx.log');
    const output = openSync(log, 'w');
    const { status } = spawnSync(nginx.binary, ['-t', ...nginxArguments(conf)], {
      env: programEnv(nginx.libraryPath),
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    const stderr = readFileSync(log, 'utf8');
    expect(stderr).toContain('test is successful');
    expect(stderr).not.toMatch(/\[(warn|error|emerg)\]/);
    expect(status).toBe(0);
  });
}
