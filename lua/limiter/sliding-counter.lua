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
-- Limit and window may change between calls. Units keep the end of the sub-window that they were counted in, but none
-- ends after the present sub-window of the newest instant: that is the end of all parts that would. An admitted call
-- stores these ends, so that a later, longer window does not bring the former ends back. A cost above the limit, which
-- only a changed limit can cause, is refused with a wait of one window.
--
-- State: the newest instant, the sum of all counts, then per sub-window its last instant and its count, in ascending
-- order of the instants.

--- @include "instant.lua"
--- @include "state.lua"

local COUNTER_PART = '>I2I4I4'

local function sliding_counter(level)
  local limit, window_ms = level.limit, level.window_ms
  local part_ms = math.ceil(window_ms / (level.sub_windows or 10))
  -- The state as it is stored; where in it the parts in the window begin; the last instant of the newest part.
  local bytes, first, newest_end
  -- How long what was charged is kept.
  local lives_ms

  function level.load()
    bytes = redis.call('GET', level.key) or ''
  end

  -- The last millisecond of the sub-window of an instant.
  local function end_of_part(instant)
    return instant - instant % part_ms + part_ms - 1
  end

  -- The last instant and the count of the part at that byte.
  local function part_at(position)
    local high, low, count = struct.unpack(COUNTER_PART, bytes, position)
    return math.min(high * TWO_32 + low, newest_end), count
  end

  local function pack_part(instant, count)
    return struct.pack(COUNTER_PART, math.floor(instant / TWO_32), instant % TWO_32, count)
  end

  -- Reads the counter for a call of `cost` units; a peek (cost 0) returns the time until one unit fits.
  function level.read(clock_ms, cost)
    local now, used, reset_ms = clock_ms, 0, 0
    first = 11
    if bytes ~= '' then
      local high, low, count = struct.unpack(COUNTER_PART, bytes)
      local newest = high * TWO_32 + low
      newest_end = end_of_part(newest)
      now, used = math.max(clock_ms, newest), count
      while first < #bytes do
        local last_ms, part_count = part_at(first)
        if last_ms > now - window_ms then
          reset_ms = last_ms + window_ms - clock_ms
          break
        end
        first, used = first + 10, used - part_count
      end
    end
    local must_leave, retry_after_ms = used + math.max(cost, 1) - limit, 0
    if must_leave > used then
      retry_after_ms = window_ms
    elseif must_leave > 0 then
      local position, last_ms, count = first, nil, nil
      repeat
        last_ms, count = part_at(position)
        must_leave, position = must_leave - count, position + 10
      until must_leave <= 0
      retry_after_ms = last_ms + window_ms - clock_ms
    end
    level.now, level.used, level.retry_after_ms, level.reset_ms = now, used, retry_after_ms, reset_ms
  end

  -- Counts `cost` units in the sub-window of the instant that was read.
  function level.charge(clock_ms, cost)
    local now, used = level.now, level.used + cost
    local now_end, count = end_of_part(now), cost
    -- The last parts end with the sub-window of the newest instant: one in general, several after a change of the window.
    local earlier_to, newest_count = #bytes, 0
    while earlier_to > first do
      local last_ms, last_count = part_at(earlier_to - 9)
      if last_ms < newest_end then
        break
      end
      earlier_to, newest_count = earlier_to - 10, newest_count + last_count
    end
    local earlier = string.sub(bytes, first, earlier_to)
    if newest_count > 0 and newest_end == now_end then
      count = count + newest_count
    elseif newest_count > 0 then
      earlier = earlier .. pack_part(newest_end, newest_count)
    end
    bytes = pack_part(now, used) .. earlier .. pack_part(now_end, count)
    lives_ms = now_end - now + window_ms + EXPIRY_SLACK_MS
    if level.used == 0 then
      level.reset_ms = now_end + window_ms - clock_ms
    end
    level.used = used
    level.retry_after_ms = used < limit and 0 or level.reset_ms
  end

  function level.save()
    redis.call('SET', level.key, bytes, 'PX', lives_ms)
  end
end
