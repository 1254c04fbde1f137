-- Lists the active bans of a policy in one shard.
--
-- KEYS
--   1      zset of bans, `level:subject:masked#violations` scored by the ban's end; expires by itself
-- ARGV
--   1      clock: '' for Redis's own, or the caller's in epoch ms (tests)
-- Reply: {{member, banned_until}, …}, the first to end first
--
-- Atomic because a ban that ends between two commands would be listed without its end.

--- @include "../lib/now.lua"

local bans_key, clock_ms = KEYS[1], now_ms(ARGV[1])

local listed = redis.call('ZRANGEBYSCORE', bans_key, string.format('(%.0f', clock_ms), '+inf', 'WITHSCORES')
local bans = {}
for index = 1, #listed, 2 do
  bans[#bans + 1] = { listed[index], tonumber(listed[index + 1]) }
end
return bans
