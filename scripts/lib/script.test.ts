import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scripts } from '../../package.json' with { type: 'json' };
import { envNames } from '../../server/env';
import { settingNames } from './script.mjs';

let folder: string;
const envFile = () => path.join(folder, '.env');

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'floodgate-env-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Returns the environment of a process that has loaded the file, or its error output. */
function environmentAfter(load: string, env: Record<string, string> = {}) {
  const module = new URL('./script.mjs', import.meta.url).href;
  const code = `const { ${load} } = await import('${module}'); ${load}('${envFile()}');
    process.stdout.write(JSON.stringify(process.env));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    env: { PATH: process.env.PATH, NODE_ENV: 'test', ...env },
    encoding: 'utf8',
  });
  return { status, stderr, env: stdout && JSON.parse(stdout) };
}

describe('the .env file', () => {
  test('adds unset variables; a set variable keeps its value, also an empty one', () => {
    writeFileSync(envFile(), 'PORT=4000\nHOST="0.0.0.0"\n# LOG_LEVEL=debug\nSMTP_URL=smtp://mail\n');
    const { env } = environmentAfter('loadEnvFile', { PORT: '5000', SMTP_URL: '' });
    expect(env).toMatchObject({ PORT: '5000', HOST: '0.0.0.0', SMTP_URL: '' });
    expect(env).not.toHaveProperty('LOG_LEVEL');
  });

  test('may be missing', () => {
    expect(environmentAfter('loadEnvFile')).toMatchObject({ status: 0, stderr: '' });
  });

  test('that cannot be read ends the command with an error message', () => {
    mkdirSync(envFile());
    const { status, stderr } = environmentAfter('loadEnvFile');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^\/.*\/\.env cannot be read: .*\n$/);
  });

  test('gives a command with its own servers all variables except the settings of the server', () => {
    writeFileSync(envFile(), 'DATABASE_URL=postgres://db/sale\nHTTPS_PROXY=http://proxy:3128\n');
    const { env } = environmentAfter('loadEnvFileWithoutSettings', {
      PUBLIC_ORIGIN: 'https://sale.example.com',
    });
    expect(env).toHaveProperty('HTTPS_PROXY', 'http://proxy:3128');
    expect(env).not.toHaveProperty('DATABASE_URL');
    expect(env).not.toHaveProperty('PUBLIC_ORIGIN');
  });
});

test('every variable of the server is a setting, except NODE_ENV, which other programs also read', () => {
  expect([...settingNames, 'NODE_ENV'].sort()).toEqual([...envNames].sort());
});

test.each(Object.entries(scripts).filter(([name]) => name !== 'serve'))(
  'npm run %s loads it',
  (_name, command) => {
    const file = /exec node (?:--import tsx )?(\S+\.(?:mjs|ts))/.exec(command)?.[1] ?? '';
    expect(readFileSync(file, 'utf8')).toMatch(
      /^(loadEnvFile(WithoutSettings)?\(\);|await run(Script|Measurement)\()/m,
    );
  },
);

test('runScript loads it without the settings of a server', () => {
  const module = new URL('./script.mjs', import.meta.url).href;
  const code = `const { runScript } = await import('${module}');
    await runScript(async () => process.exit('PUBLIC_ORIGIN' in process.env ? 1 : 0));`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    env: { PATH: process.env.PATH, NODE_ENV: 'test', PUBLIC_ORIGIN: 'https://sale.example.com' },
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
