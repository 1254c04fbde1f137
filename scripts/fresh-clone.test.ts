import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashPackages, installStamp } from './lib/packages.mjs';
import { repoRoot } from './lib/steps.mjs';

let clone: string;

beforeEach(() => {
  clone = mkdtempSync(path.join(os.tmpdir(), 'floodgate-clone-'));
  for (const name of ['scripts', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'])
    cpSync(path.join(repoRoot, name), path.join(clone, name), { recursive: true });
});
afterEach(() => rmSync(clone, { recursive: true }));

function run(script: string, args: string[] = [], { PATH = process.env.PATH } = {}) {
  return spawnSync(process.execPath, [path.join(clone, script), ...args], {
    env: { PATH, NODE_ENV: 'test' },
    encoding: 'utf8',
    timeout: 60_000,
  });
}

test.each([
  ['scripts/start.mjs', 'npm start'],
  ['scripts/test.mjs', 'npm test'],
])('%s (%s) needs no packages, and a failed install names the settings to check', (script) => {
  // Without PATH there is no npm.
  const { status, stdout, stderr } = run(script, [], { PATH: '' });
  expect(status).toBe(1);
  expect(stdout).toMatch(/^✗ packages /m);
  expect(stdout + stderr).toContain('npm install failed (exit 127)');
  expect(stdout + stderr).toContain('npm config get registry');
  if (script === 'scripts/test.mjs') expect(stdout).toMatch(/\n0 passed, [1-9]\d* failed\n$/);
});

test.each([
  ['scripts/start.mjs', 'without tools', '--omit=dev --legacy-peer-deps'],
  ['scripts/start.mjs', 'with tools', '--include=dev'],
  ['scripts/test.mjs', 'without tools', '--include=dev'],
])('%s in a clone %s calls npm install %s', (script, tools, option) => {
  if (tools === 'with tools') mkdirSync(path.join(clone, 'node_modules/vitest'), { recursive: true });
  const PATH = path.join(clone, 'bin');
  mkdirSync(PATH);
  // Prints its arguments and fails, so that nothing is installed.
  writeFileSync(path.join(PATH, 'npm'), '#!/bin/sh\necho "$@"\nexit 1\n', { mode: 0o755 });
  const { stdout, stderr } = run(script, [], { PATH });
  expect(stdout + stderr).toContain(`npm install failed (exit 1):\ninstall ${option} --include=optional`);
});

test.each([[[]], [['--dev']]])(
  'npm start reports an invalid setting of .env before it builds or starts anything (%j)',
  async (args) => {
    mkdirSync(path.join(clone, 'node_modules'));
    const packages = readdirSync(path.join(repoRoot, 'node_modules')).filter((name) => !name.startsWith('.'));
    for (const name of packages)
      symlinkSync(path.join(repoRoot, 'node_modules', name), path.join(clone, 'node_modules', name));
    writeFileSync(path.join(clone, installStamp), await hashPackages());
    symlinkSync(path.join(repoRoot, 'server'), path.join(clone, 'server'));
    writeFileSync(path.join(clone, '.env'), 'REDIS_URL=http://127.0.0.1:6379\nPORT=many\n');
    const { status, stdout, stderr } = run('scripts/start.mjs', args);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^PORT is not usable: .* Example: PORT=3000$/m);
    expect(stderr).toMatch(/^REDIS_URL is not usable: .* Example: REDIS_URL=redis:/m);
    expect(stdout).toMatch(/^✓ packages .* up to date\n$/);
    expect(existsSync(path.join(clone, 'dist'))).toBe(false);
    expect(readdirSync(path.join(clone, '.data'))).toEqual(['start.sock']);
  },
);

test('a type error in server code ends the build before Next starts', () => {
  symlinkSync(path.join(repoRoot, 'node_modules'), path.join(clone, 'node_modules'));
  mkdirSync(path.join(clone, 'server'));
  writeFileSync(path.join(clone, 'server/price.ts'), "export const priceCents: number = '990';\n");
  const { status, stderr } = run('scripts/build.mjs', ['--no-install']);
  expect(status).toBe(1);
  expect(stderr).toMatch(/server\/price\.ts.*error TS2322/s);
  for (const name of ['.next', 'dist']) expect(existsSync(path.join(clone, name))).toBe(false);
});
