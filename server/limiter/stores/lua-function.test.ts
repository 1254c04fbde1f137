import { expect, test } from 'vitest';
import { isUnsupported } from './lua-function';

test.each([
  "ERR unknown command 'FCALL', with args beginning with: 'floodgateDecide'",
  'ERR unknown command `FCALL`, with args beginning with: `floodgateDecide`, `1`, `limit:{api-key:script}:user:ada`',
  "ERR Command is not available: 'FCALL'. See https://upstash.com/docs/redis/overall/rediscompatibility",
  "ERR unsupported command 'FCALL'",
  'unsupported command',
  'ERR FUNCTION is disabled on this instance',
  'ERR command FCALL not allowed',
  'NOPERM User limiter has no permissions to run the FCALL command',
  "NOPERM this user has no permissions to run the 'function|load' command",
  'ERR command eval not support for normal user',
  'NOPERM this command is denied',
])('"%s" refuses functions: scripts run instead', (message) => {
  expect(isUnsupported(new Error(message))).toBe(true);
});

test.each([
  'ERR user_function:3: attempt to index local: it is disabled',
  "ERR The user executing the script can't run this command or subcommand script: decide, on @user_function:62.",
  'NOPERM this user has no permissions to access one of the keys used as arguments',
  'NOPERM No permissions to access a key',
  'ERR Function not found',
  "OOM command not allowed when used memory > 'maxmemory'.",
  "READONLY You can't write against a read only replica.",
  'LOADING Redis is loading the dataset in memory',
  "Stream isn't writeable and enableOfflineQueue options is false",
])('"%s" is an error of the call', (message) => {
  expect(isUnsupported(new Error(message))).toBe(false);
});
