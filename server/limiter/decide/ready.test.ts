import { expect, test } from 'vitest';
import { downStore } from '../../../test/store-commands';
import { StoreUnavailableError } from '../stores/store-error';
import { readyErrorOf } from './ready';

const store = downStore();

test.each([
  ['NOAUTH Authentication required.', 'Give the client the password of Redis.'],
  ['WRONGPASS invalid username-password pair or user is disabled.', 'Correct the user or the password'],
  ['MOVED 3999 127.0.0.1:6381', 'Use the cluster client'],
  ['ERR Script attempted to access a non local key in a cluster node', undefined],
  [
    'ERR bad lua script for redis cluster, all the keys that the script uses should be passed using the KEYS array',
    'script_check_enable 0',
  ],
  ['ERR script tried accessing undeclared key', 'allow-undeclared-keys'],
  ["ERR Command is not available: 'EVALSHA'", 'allow FCALL and FUNCTION, or EVALSHA and EVAL'],
  ["ERR unknown command 'evalsha'", 'allow FCALL and FUNCTION, or EVALSHA and EVAL'],
  ["OOM command not allowed when used memory > 'maxmemory'.", 'Raise maxmemory'],
  ['NOPERM No permissions to access a key', 'ACL SETUSER NAME ~app:*'],
])('%s: the error of ready() has the fix', async (reply, fix) => {
  const cause = new StoreUnavailableError('the store failed', { cause: new Error(reply) });
  const error = await readyErrorOf(cause, { store, prefix: 'app:' });
  expect(error).toBeInstanceOf(StoreUnavailableError);
  expect(String(error)).toContain(`The store cannot decide: ${reply}`);
  expect(String(error)).toContain(fix ?? reply);
  expect(error).toMatchObject({ kind: cause.kind });
});
