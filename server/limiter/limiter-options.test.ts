import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createLimiter } from './limiter';
import type { LimiterOptions } from './limiter-options';
import { validateOptions } from './limiter-options';
import { LimiterOptionError } from './options';
import { memoryStore } from './stores/memory-store';

const valid: LimiterOptions = {
  store: memoryStore(),
  secret: 'a secret of at least 32 characters',
};

test('valid options are accepted, and undefined is the default', () => {
  validateOptions(valid);
  validateOptions({
    ...valid,
    prefix: '{lab}:',
    timeoutMs: 1,
    cacheDenials: false,
    onWarning: () => undefined,
  });
  validateOptions({ ...valid, ...({ prefix: undefined, clock: undefined } as object) });
});

test.each<[option: string, options: object, message: string]>([
  ['an unknown option', { timeout: 5 }, 'timeout is 5. This is not an option. Use store, secret, prefix, '],
  ['no store', { store: undefined }, 'store is undefined. Give the result of connectRedis, ioredisStore, '],
  [
    'an address instead of a store, which stays unnamed',
    { store: 'redis://:hunter2@localhost' },
    'store is a text of 26 characters. Give the result of ',
  ],
  [
    'a client instead of a store, whose password stays unnamed',
    { store: new Redis('redis://:hunter2@localhost', { lazyConnect: true }) },
    'store is an instance of a class. This is a client. Give connectRedis(url), ioredisStore(client) or nodeRedisStore(client).',
  ],
  [
    'no secret, as of a variable that is not set',
    { secret: undefined },
    'secret is undefined. Use at least 32 random characters, the same on all nodes. If it is from the environment, its variable is not set.',
  ],
  ['a short secret', { secret: 'short' }, 'secret is a text of 5 characters. Use at least 32 random '],
  ['a secret that is no text, which stays unnamed', { secret: 123_456 }, 'secret is a number. '],
  ['a prefix that is no text', { prefix: 5 }, 'prefix is 5. Use a text'],
  ['no time to wait', { timeoutMs: 0 }, 'timeoutMs is 0. Use whole milliseconds from 1 to 2147483647'],
  ['a timeout that is a text', { timeoutMs: '250' }, 'timeoutMs is "250". '],
  ['a timeout longer than a timer', { timeoutMs: 2 ** 31 }, 'timeoutMs is 2147483648. '],
  ['a clock that is an instant', { clock: 0 }, 'clock is 0. Use a function that returns epoch ms.'],
  ['a number of nodes', { nodes: 3 }, 'nodes is 3. Use a function'],
  ['a text for a boolean', { cacheDenials: 'false' }, 'cacheDenials is "false". Use true or false.'],
  ['a metric', { onDecision: {} }, 'onDecision is {}. Use a function'],
  ['a log', { onWarning: null }, 'onWarning is null. Use a function'],
])('%s stops the start with option, value and fix', (_option, options, message) => {
  const create = () => createLimiter({ ...valid, ...options } as LimiterOptions);
  expect(create).toThrow(LimiterOptionError);
  expect(create).toThrow(`createLimiter: ${message}`);
});
