-- A sliding window that counts by sub-windows: the window is cut into `sub_windows` parts (10 where the level does not
-- say), and every part that lies in the window with even its last millisecond counts whole.
--
-- Bound: at most `limit` units are admitted in any (t - window_ms, t] of the counter's clock. The price is lateness: a
-- unit returns when its whole sub-window has left, up to one sub-window less 1 ms later than in a log. For a window of
-- 60 000 ms in 10 parts, a unit of 12:00:00.000 returns at 12:01:05.999. (The usual counter weighs its oldest part by
-- how much of it is left in the window; it is never late, and has no bound when calls come in bursts.)
-- Memory: 10 bytes, and 10 for each sub-window that has units: at most 120 B in 10 parts, whatever the limit is.
-- Cost: one redis.call to read, one to write; a refused call writes nothing.
--
-- Numbers may be tuned between calls. Units keep the sub-window they were counted in; where the sub-window of the
-- newest now ends earlier, they are taken to its end. A cost above the limit, which only tuning can bring about, is
-- refused and told to come back in a window.
--
-- State: the newest instant, the sum of all counts, then per sub-window its last instant and its count, oldest first.

--- @include "instant.lua"

-- Expiry is only tidiness: see sliding-log.lua.
local COUNTER_SLACK_MS = 60000
local COUNTER_PART = '>I2I4I4'

local function sliding_counter()
  -- The last millisecond of the sub-window of an instant.
  local function end_of_part(level, instant)
    local part_ms = math.ceil(level.window_ms / (level.sub_windows or 10))
    return instant - instant % part_ms + part_ms - 1
  end

  -- The last instant and the count of the part at that byte.
  local function part_at(state, position)
    local high, low, count = struct.unpack(COUNTER_PART, state.bytes, position)
    return math.min(high * TWO_32 + low, state.newest_end), count
  end

  local function pack_part(instant, count)
    return struct.pack(COUNTER_PART, math.floor(instant / TWO_32), instant % TWO_32, count)
  end

  -- What the counter says for a call of `cost` units; a look (cost 0) is told when one unit would fit.
  local function read(level, clock_ms, cost)
    local window_ms = level.window_ms
    local bytes = redis.call('GET', level.key)
    local state = {
      now = clock_ms,
      used = 0,
      retry_after_ms = 0,
      reset_ms = 0,
      delay_ms = 0,
      bytes = '',
      first = 11,
      newest_end = 0
    }
    if bytes then
      local high, low, used = struct.unpack(COUNTER_PART, bytes)
      local newest = high * TWO_32 + low
      state.bytes, state.used = bytes, used
      state.newest_end = end_of_part(level, newest)
      state.now = math.max(clock_ms, newest)
      while state.first < #bytes do
        local last_ms, count = part_at(state, state.first)
        if last_ms > state.now - window_ms then
          state.reset_ms = last_ms + window_ms - clock_ms
          break
        end
        state.first = state.first + 10
        state.used = state.used - count
      end
    end
    local must_leave = state.used + math.max(cost, 1) - level.limit
    if must_leave > state.used then
      state.retry_after_ms = window_ms
    elseif must_leave > 0 then
      local position, last_ms, count = state.first, nil, nil
      repeat
        last_ms, count = part_at(state, position)
        must_leave, position = must_leave - count, position + 10
      until must_leave <= 0
      state.retry_after_ms = last_ms + window_ms - clock_ms
    end
    return state
  end

  -- Counts `cost` units in the sub-window of the state's instant.
  local function charge(level, clock_ms, cost)
    local state, window_ms = level.state, level.window_ms
    local now_end, count, earlier = end_of_part(level, state.now), cost, ''
    local last = #state.bytes - 9
    if last >= state.first then
      local last_ms, last_count = part_at(state, last)
      if last_ms == now_end then
        count = count + last_count
        earlier = string.sub(state.bytes, state.first, last - 1)
      else
        earlier = string.sub(state.bytes, state.first, last - 1) .. pack_part(last_ms, last_count)
      end
    end
    if state.used == 0 then
      state.reset_ms = now_end + window_ms - clock_ms
    end
    state.used = state.used + cost
    state.retry_after_ms = state.used < level.limit and 0 or state.reset_ms
    redis.call(
      'SET',
      level.key,
      pack_part(state.now, state.used) .. earlier .. pack_part(now_end, count),
      'PX',
      now_end - state.now + window_ms + COUNTER_SLACK_MS
    )
  end

  -- A counter does not know its hits.
  local function hits()
    return {}
  end

  return { read = read, charge = charge, hits = hits }
end
