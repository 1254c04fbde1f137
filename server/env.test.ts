import { expect, test } from 'vitest';
import { checkEnvOfStart, EnvError, readEnv } from './env';

const enough = {
  REDIS_URL: 'redis://127.0.0.1:6379',
  DATABASE_URL: 'postgres://127.0.0.1/floodgate',
  SESSION_SECRETS: 'a secret of at least 32 characters, a second one of at least 32 characters',
};

test('what is not set has its default, and lists are split', () => {
  expect(readEnv({ ...enough, REDIS_URL: 'redis://a:1, redis://b:2', PUBLIC_ORIGIN: '' })).toMatchObject({
    PORT: 3000,
    HOST: '127.0.0.1',
    REDIS_URL: ['redis://a:1', 'redis://b:2'],
    SESSION_SECRETS: ['a secret of at least 32 characters', 'a second one of at least 32 characters'],
    TRUSTED_PROXIES: [],
    FLOODGATE_DEMO: false,
    LIVE_STREAMS_PER_ADDRESS: 200,
  });
});

test.each([
  ['PORT', '70000'],
  ['REDIS_URL', 'http://127.0.0.1'],
  ['REDIS_URL', 'redis+sentinel://127.0.0.1'],
  ['REDIS_URL', 'redis://127.0.0.1,redis+sentinel://127.0.0.1/main'],
  ['DATABASE_URL', '127.0.0.1'],
  ['SESSION_SECRETS', 'short'],
  ['TRUSTED_PROXIES', '0.0.0.0/0'],
  ['TRUSTED_PROXIES', '::ffff:0:0/96'],
  ['TRUSTED_PROXIES', 'nonsense'],
  ['PUBLIC_ORIGIN', 'sale.example.com'],
  ['ADMIN_EMAILS', 'nobody'],
  ['SMTP_URL', 'mail.example.com'],
  ['ALERT_WEBHOOK_URL', 'https://user:secret@hooks.example.com/floodgate'],
  ['FLOODGATE_DEMO', 'yes'],
  ['LIVE_STREAMS_PER_ADDRESS', '0'],
  ['LIVE_STREAMS_PER_ADDRESS', 'many'],
  ['LOG_LEVEL', 'loud'],
])('%s=%s is refused by name, with an example', (name, value) => {
  const read = () => readEnv({ ...enough, [name]: value });
  expect(read).toThrow(EnvError);
  expect(read).toThrow(new RegExp(`^${name} is not usable: .* Example: ${name}=`));
});

test('the Sentinels of one primary are one URL', () => {
  const url = 'redis+sentinel://a:26379,b:26379/main';
  expect(readEnv({ ...enough, REDIS_URL: ` ${url} ` }).REDIS_URL).toEqual([url]);
});

test('one error names all mistakes, each with an example', () => {
  expect(() => checkEnvOfStart({ PORT: 'many', FLOODGATE_DEMO: 'yes', HOST: '0.0.0.0' })).toThrow(
    /^PORT is not usable: .* Example: PORT=3000\nFLOODGATE_DEMO is not usable: .* Example: FLOODGATE_DEMO=1$/,
  );
});

test('`npm start` provides a missing database, and then also the secrets', () => {
  const { SESSION_SECRETS: _, ...urls } = enough;
  for (const set of [{}, { REDIS_URL: enough.REDIS_URL }, { ...urls, REDIS_URL: ' ' }, enough])
    expect(() => checkEnvOfStart(set)).not.toThrow();
  expect(() => checkEnvOfStart(urls)).toThrow(/^SESSION_SECRETS is required\. Example: /);
});
