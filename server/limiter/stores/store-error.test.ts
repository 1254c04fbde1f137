import { expect, test } from 'vitest';
import { createBreaker } from '../decide/breaker';
import { StoreReplyError, StoreUnavailableError, storeErrorIn } from './store-error';

const replyError = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });
const kindOf = (cause: unknown) => new StoreUnavailableError('the store failed', { cause }).kind;

test.each([
  ["NOPERM this user has no permissions to run the 'fcall' command", 'NOPERM'],
  ["OOM command not allowed when used memory > 'maxmemory'. script: 1b2c, on @user_script:12.", 'OOM'],
  ['WRONGTYPE Operation against a key holding the wrong kind of value', 'WRONGTYPE'],
  ['ERR Error running script (call to f_1b2c): @user_script:3: WRONGTYPE Operation against', 'WRONGTYPE'],
  ["ERR Error compiling script (new function): user_script:2: unexpected symbol near '='", 'script'],
  ["ERR user_function:3: attempt to index local 'a' (a number value)", 'script'],
  ['BUSYGROUP Consumer Group name already exists', 'other'],
  ['ERR unknown command', 'other'],
])('%s: its kind is %s', (message, kind) => {
  expect(kindOf(replyError(message))).toBe(kind);
  expect(new StoreUnavailableError('', { cause: replyError(message) }).hasNoReply).toBe(false);
});

test('the error reply to one call of a batch is a reply', () => {
  expect(kindOf(new StoreReplyError('OOM command not allowed'))).toBe('OOM');
});

test('a timeout, a lost connection and an unsent call have no reply', () => {
  const errors = [
    new StoreUnavailableError('', { kind: 'timeout' }),
    new StoreUnavailableError('', { kind: 'breaker-open' }),
    new StoreUnavailableError('', { cause: new Error('Connection is closed.') }),
    new StoreUnavailableError('Redis is not connected'),
  ];
  expect(errors.map(({ kind }) => kind)).toEqual(['timeout', 'breaker-open', 'disconnected', 'disconnected']);
  expect(errors.every(({ hasNoReply }) => hasNoReply)).toBe(true);
});

test('a malformed reply has its own kind', () => {
  expect(kindOf(new TypeError('decide.lua replied 1'))).toBe('malformed-reply');
});

test('too many redirections of a cluster are replies: the breaker stays closed', async () => {
  const cause = new Error('Too many Cluster redirections. Last error: ReplyError: MOVED 1 127.0.0.1:1');
  const breaker = createBreaker({ timeoutMs: 1_000, maxFailures: 3 });
  for (let time = 0; time < 5; time += 1) {
    const call = breaker.run(() => Promise.reject(new StoreUnavailableError('the store failed', { cause })));
    await expect(call).rejects.toMatchObject({ kind: 'redirections' });
  }
  expect(breaker.state()).toBe('closed');
});

test("the store's error is found among causes, also where errors cause each other", () => {
  const error = new StoreUnavailableError('', { kind: 'timeout' });
  expect(storeErrorIn(new Error('', { cause: new Error('', { cause: error }) }))).toBe(error);
  const loop = new Error('one');
  loop.cause = new Error('other', { cause: loop });
  expect(storeErrorIn(loop)).toBeUndefined();
  expect(storeErrorIn('text')).toBeUndefined();
});

test.each([
  'OOM command not allowed',
  'NOSCRIPT No matching script.',
  'DENIED Redis is running in protected mode',
])('%s: an error reply is recognised by its text, because a minifier renames its class', (message) => {
  class Minified extends Error {}
  expect(new StoreUnavailableError('', { cause: new Minified(message) }).hasNoReply).toBe(false);
});

test.each(["Stream isn't writeable", 'The client is offline', 'write EPIPE', 'Socket closed unexpectedly'])(
  '%s: an error of a client is no reply',
  (message) => {
    expect(kindOf(new Error(message))).toBe('disconnected');
  },
);
