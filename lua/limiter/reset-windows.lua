-- Empties the windows among some keys of the database, and ends their generations, like clear-window.lua.
--
-- KEYS
--   1..n   the start of the keys of the states of each level, up to the pseudonym; not a key itself
-- ARGV
--   1      cursor of SCAN: 0 at first
--   2      the id of the next generation, which no other has; '' if no call on these levels reserves its cost
-- Reply: the cursor of the next call as a text, because it has 64 bits; '0' after the last
--
-- Atomic because a settling between the commands would return units of calls after the reset.

local starts = KEYS
local cursor, id = ARGV[1], ARGV[2]

-- Keys that one call visits: a call keeps Redis busy for less than a millisecond.
local SCANNED_KEYS = 500
local PSEUDONYM_CHARACTERS = 22
-- The longest lease of a reservation, an hour, and the slack of all expiries.
local GENERATION_TTL_MS = 3600000 + 60000

local is_start, common = {}, starts[1]
for index = 1, #starts do
  is_start[starts[index]] = true
  while string.sub(starts[index], 1, #common) ~= common do
    common = string.sub(common, 1, -2)
  end
end

local pattern = string.gsub(common, '[%*%?%[%]\\]', '\\%0') .. '*'
local reply = redis.call('SCAN', cursor, 'MATCH', pattern, 'COUNT', SCANNED_KEYS)
for index = 1, #reply[2] do
  local key = reply[2][index]
  local length = #key - PSEUDONYM_CHARACTERS
  if is_start[string.sub(key, 1, length)] and string.find(key, '^[%w_-]+$', length + 1) then
    if id ~= '' then
      redis.call('SET', key .. ':generation', id .. ' 0 ', 'PX', GENERATION_TTL_MS)
    end
    redis.call('UNLINK', key)
  end
end
return reply[1]
