import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scripts } from '../../package.json' with { type: 'json' };

let folder: string;
const envFile = () => path.join(folder, '.env');

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'floodgate-env-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The environment of a process that has loaded the file, or what it printed where it failed. */
function environmentAfter(load: string, env: Record<string, string> = {}) {
  const module = new URL('./env-file.mjs', import.meta.url).href;
  const code = `const { ${load} } = await import('${module}'); ${load}('${envFile()}');
    process.stdout.write(JSON.stringify(process.env));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    env: { PATH: process.env.PATH, NODE_ENV: 'test', ...env },
    encoding: 'utf8',
  });
  return { status, stderr, env: stdout && JSON.parse(stdout) };
}

describe('the .env file', () => {
  test('adds what is not set; the environment comes first, also where it is empty', () => {
    writeFileSync(envFile(), 'PORT=4000\nHOST="0.0.0.0"\n# LOG_LEVEL=debug\nSMTP_URL=smtp://mail\n');
    const { env } = environmentAfter('loadEnvFile', { PORT: '5000', SMTP_URL: '' });
    expect(env).toMatchObject({ PORT: '5000', HOST: '0.0.0.0', SMTP_URL: '' });
    expect(env).not.toHaveProperty('LOG_LEVEL');
  });

  test('may be missing', () => {
    expect(environmentAfter('loadEnvFile')).toMatchObject({ status: 0, stderr: '' });
  });

  test('that cannot be read ends the command with a sentence', () => {
    mkdirSync(envFile());
    const { status, stderr } = environmentAfter('loadEnvFile');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^\/.*\/\.env cannot be read: .*\n$/);
  });

  test('gives a command with servers of its own everything but the settings of the server', () => {
    writeFileSync(envFile(), 'DATABASE_URL=postgres://db/sale\nHTTPS_PROXY=http://proxy:3128\n');
    const { env } = environmentAfter('loadEnvFileWithoutSettings', {
      PUBLIC_ORIGIN: 'https://sale.example.com',
    });
    expect(env).toHaveProperty('HTTPS_PROXY', 'http://proxy:3128');
    expect(env).not.toHaveProperty('DATABASE_URL');
    expect(env).not.toHaveProperty('PUBLIC_ORIGIN');
  });
});

test.each(Object.entries(scripts).filter(([name]) => name !== 'serve'))(
  'npm run %s loads it',
  (_name, command) => {
    const file = /exec node (\S+\.mjs)/.exec(command)?.[1] ?? '';
    expect(readFileSync(file, 'utf8')).toMatch(/^loadEnvFile(WithoutSettings)?\(\);$/m);
  },
);
