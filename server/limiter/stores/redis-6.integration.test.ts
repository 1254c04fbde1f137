import { expect, onTestFinished, test } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { readScript } from './lua-scripts';
import { StoreUnavailableError } from './store-error';

/** Raises the error of a write as Redis 6 does: a text with the position before the code. */
const redis6 = `
local real = redis
local redis = setmetatable({
  call = function(command, ...)
    if command == 'SET' or command == 'SETRANGE' then
      error("@user_script: 12: -READONLY You can't write against a read only replica.", 0)
    end
    return real.call(command, ...)
  end
}, { __index = real })
`;
const policyArgs = '1 0 0 sliding-log 50 60000 10 enforce 0 0 0';

test('on a replica of Redis 6 the command itself fails with READONLY, so that the client leaves it', async () => {
  const redis = await connectTestRedis(await redisUrl());
  onTestFinished(() => redis.disconnect());
  const script = `${redis6}${readScript('limiter/decide.lua')}`;
  const failure: unknown = await redis
    .eval(script, 1, freshPrefix(), policyArgs, 1)
    .catch((error: unknown) => error);
  expect(String(failure)).toContain('READONLY');
  expect(new StoreUnavailableError('', { cause: failure }).kind).toBe('READONLY');
});
