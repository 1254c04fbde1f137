import { describe, expect, test } from 'vitest';
import { EnvError, readEnv } from '../../../server/env';
import { checkSettings, settingNames } from './check-settings.mjs';

const enough = {
  REDIS_URL: 'redis://127.0.0.1:6379',
  DATABASE_URL: 'postgres://127.0.0.1/floodgate',
  SESSION_SECRETS: 'a secret of at least 32 characters, a second one of at least 32 characters',
};

/** Valid values of some settings, and common mistakes. */
const values = [
  ...[
    '0',
    '1',
    '3000',
    '65535',
    '65536',
    '1000000',
    '1000001',
    '-1',
    '3e3',
    '3000.5',
    '0x10',
    'yes',
    'many',
    ',',
  ],
  ...[
    '127.0.0.1',
    '10.0.0.0/8',
    '10.0.0.0/33',
    '0.0.0.0/0',
    '::/0',
    'fd00::/8, 10.0.0.1',
    '::1',
    '10.0.0',
    'a/b',
    '::ffff:10.0.0.1',
    '::FFFF:a00:0/104',
    '::ffff:0:0/96',
    '::ffff:10.0.0.1/64',
    '10.0.0.1:80',
    '[::1]',
    '10.0.0.0/',
    '10.0.0.0/0008',
  ],
  ...[
    'redis://127.0.0.1:6379',
    'rediss://a:1, redis://b:2',
    'redis://a:1,http://b:2',
    'redis',
    'http://127.0.0.1',
  ],
  ...['postgres://ann:secret@db/sale', 'postgresql://db/sale', 'mysql://db/sale', '127.0.0.1', 'postgres:'],
  ...[
    'https://sale.example.com',
    'http://localhost:3000',
    'sale.example.com',
    'ftp://sale.example.com',
    'https://',
  ],
  ...['https://user:secret@hooks.example.com/floodgate', 'https://user@hooks.example.com'],
  ...['ops@example.com', ' Ops@Example.com, lead@example.com', 'operator', 'a@b', 'ops@example.com,operator'],
  ...[
    'smtp://mail.example.com:587',
    'smtps://u:p@mail.example.com?from=sale@example.com',
    'smtp://mail?from=operator',
  ],
  ...['info', 'silent', 'loud', 'INFO', 'short', 'x'.repeat(31), 'x'.repeat(32), `${'x'.repeat(32)},short`],
];

function errorOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
}

describe.each(settingNames)('%s', (name) => {
  test.each(values)('%j is refused before the installation exactly if the server refuses it', (value) => {
    const env = { ...enough, [name]: value };
    const early = errorOf(() => checkSettings(env));
    const late = errorOf(() => readEnv(env));
    expect(early !== undefined, `early: ${early}, late: ${late}`).toBe(late !== undefined);
  });
});

test('every setting of the server has a rule', () => {
  const everything = Object.keys(readEnv(enough));
  const optional = ['PUBLIC_ORIGIN', 'SMTP_URL', 'ALERT_WEBHOOK_URL'];
  expect([...new Set([...everything, ...optional])].sort()).toEqual([...settingNames, 'NODE_ENV'].sort());
});

test('one error names all mistakes, each with an example', () => {
  expect(errorOf(() => checkSettings({ PORT: 'many', LOG_LEVEL: 'loud', HOST: '0.0.0.0' }))).toBe(
    [
      'PORT is not usable: must be a whole number. Example: PORT=3000',
      'LOG_LEVEL is not usable: must be one of fatal, error, warn, info, debug, silent. Example: LOG_LEVEL=info',
    ].join('\n'),
  );
});

test('secrets are required if both databases are set, because `npm start` generates them only for its own', () => {
  const { SESSION_SECRETS: _, ...urls } = enough;
  expect(errorOf(() => checkSettings(urls))).toMatch(/^SESSION_SECRETS is required/);
  expect(() => readEnv(urls)).toThrow(EnvError);
  expect(errorOf(() => checkSettings({ REDIS_URL: enough.REDIS_URL }))).toBeUndefined();
  expect(errorOf(() => checkSettings({ ...urls, REDIS_URL: ' ' }))).toBeUndefined();
  expect(errorOf(() => checkSettings({}))).toBeUndefined();
});
