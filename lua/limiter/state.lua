-- What the states of all levels share: their expiry, their instants as bytes and as text, and their validation. The key of a
-- level may hold any text, and an invalid state fails its call before a decision.
--
-- An instant is epoch ms in 6 bytes, big-endian, in two fields: Redis may be compiled to 32 bits, where no single field
-- holds it. Six bytes last until the year 10889.

-- Keys expire 60 s later than needed, because a caller's clock (tests, lab) may be slower than the clock of Redis. The
-- values decide; the expiry only frees memory.
local EXPIRY_SLACK_MS = 60000

-- False while calls are decided by the clock of Redis.
local has_callers_clock = true

local function refuse_state(level, what)
  error({ err = 'ERR ' .. level.key .. ' is not a valid ' .. what })
end

-- The greatest whole number up to which a double holds all.
local MAX_COUNT = 9007199254740992

-- Returns true if a number of a state is valid: doubles may be infinite or NaN.
local function is_count(number)
  return number >= 0 and number <= MAX_COUNT
end

local TWO_32 = 4294967296

-- Cached, because most calls of a batch have one instant.
local packed_ms, packed
local function pack_instant(ms)
  if ms ~= packed_ms then
    packed_ms, packed = ms, struct.pack('>I2I4', math.floor(ms / TWO_32), ms % TWO_32)
  end
  return packed
end

-- Decodes the instant at a byte position; the first is 1.
local function unpack_instant(bytes, position)
  local high, low = struct.unpack('>I2I4', bytes, position)
  return high * TWO_32 + low
end

-- The format of a whole number. The conversion of an integer is faster than that of a double, but has 32 bits where Redis
-- is compiled to 32 bits.
local WHOLE = ('%d'):format(TWO_32) == '4294967296' and '%d' or '%.0f'

-- Returns an instant as digits: the default conversion of Lua keeps only 14.
local function instant_text(ms)
  return string.format(WHOLE, ms)
end

local HALF_SLACK_MS = EXPIRY_SLACK_MS / 2

-- Writes the state of a level, which is needed for life_ms more. `loaded` is the newest instant of the state that was loaded, 0
-- without one, `newest` that of the new state.
--
-- A state that was written in the current half minute of the clock keeps its expiry, if it is needed for half a minute at
-- most. The first write of the half minute has set it at least EXPIRY_SLACK_MS, a minute, after its beginning, and no call
-- needs the state then. Setting it would take as long as the rest of the write.
local function write_state(key, state, life_ms, loaded, newest)
  if life_ms > HALF_SLACK_MS or has_callers_clock or loaded < newest - newest % HALF_SLACK_MS then
    redis.call('SET', key, state, 'PX', string.format(WHOLE, math.ceil(life_ms) + EXPIRY_SLACK_MS))
  else
    redis.call('SET', key, state, 'KEEPTTL')
  end
end
