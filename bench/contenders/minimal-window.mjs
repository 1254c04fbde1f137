import { connect } from './connect.mjs';
import { checkInSequence } from './contender.mjs';

const lua = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window = now - now % ARGV[2]
local held = redis.call('GET', KEYS[1])
local count = 0
if held then
  local at = string.find(held, ' ', 1, true)
  if tonumber(string.sub(held, 1, at)) == window then count = tonumber(string.sub(held, at)) end
end
if count >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], string.format('%.0f %d', window, count + 1), 'PX', ARGV[2])
return 1`;

/**
 * The minimal fixed window on Redis's clock: the time, one read, one write. It has no retry time and no second level. It
 * shows how close to the ceiling any window can get.
 *
 * @type {import('./contender.mjs').Contender}
 */
export const minimalWindow = {
  name: 'TIME, GET, SET and nothing else',
  about: 'a minimal fixed window on Redis’s clock: the lower bound of the cost of any window',
  needs: [],
  isOurs: false,
  async open({ redisUrl, prefix, levels }) {
    const { client, stop } = await connect(redisUrl);
    client.defineCommand('benchMinimalWindow', { numberOfKeys: 1, lua });
    const run = Reflect.get(client, 'benchMinimalWindow');
    const decide = checkInSequence(
      levels,
      ({ limit, windowMs }, index) =>
        async (subject) =>
          (await run.call(client, `${prefix}${index}:${subject}`, limit, windowMs)) === 1,
    );
    return { decide, stop };
  },
};
