-- A sliding window that counts by sub-windows: the window is divided into `sub_windows` of them (default: 10), and each
-- sub-window whose last millisecond is in the window counts whole.
--
-- Bound: at most `limit` units are admitted in any (t - window_ms, t] of the counter's clock. The price is lateness: a
-- unit returns when its whole sub-window has left, up to one sub-window less 1 ms later than in a log. For a window of
-- 60 000 ms in 10 sub-windows, a unit of 12:00:00.000 returns at 12:01:05.999. (The usual counter weights its oldest sub-window
-- by how much of it is left in the window; it is never late, and has no bound when calls come in bursts.)
-- Memory: 10 bytes, and 10 for each sub-window that has units: at most 120 B for 10, whatever the limit is.
-- Cost: one redis.call to read, one to write; a refused call writes nothing.
--
-- Limit and window may change between calls. Units keep the end of the sub-window that they were counted in, but none
-- ends after the present sub-window of the newest instant: a later end is reduced to it. An admitted
-- call stores these ends, so that a later, longer window does not bring the earlier ends back. A cost above the limit, which
-- only a changed limit can cause, is refused with a wait of one window.
--
-- State: the newest instant, the sum of all counts, then per sub-window its last instant and its count, in ascending
-- order of the instants.

--- @include "state.lua"

local SUB_WINDOW_FORMAT = '>I2I4I4'

local function sliding_counter(level)
  local limit, window_ms, sub_window_ms
  -- The state as it is stored; the byte at which its first sub-window in the window begins; the last instant of the newest
  -- sub-window.
  local bytes, first, newest_end
  -- Of the last call: its instant, the number of units in its window, and the waits.
  local now, used, retry_after_ms, reset_ms
  -- The state as it was loaded, and the time for which it is needed after a charge.
  local loaded, life_ms

  function level.set_numbers(new_limit, new_window_ms)
    limit, window_ms = new_limit, new_window_ms
    sub_window_ms = math.ceil(window_ms / (level.sub_windows or 10))
  end

  function level.load()
    bytes = redis.call('GET', level.key) or ''
    loaded = bytes
  end

  -- The last millisecond of the sub-window of an instant.
  local function end_of_sub_window(instant)
    return instant - instant % sub_window_ms + sub_window_ms - 1
  end

  -- The instant and the count at that byte: of the newest unit and all units at 1, else the last instant of a sub-window.
  local function unpack_at(position)
    local high, low, count = struct.unpack(SUB_WINDOW_FORMAT, bytes, position)
    return high * TWO_32 + low, count
  end

  -- The last instant and the count of the sub-window at that byte.
  local function sub_window_at(position)
    local last_ms, count = unpack_at(position)
    return math.min(last_ms, newest_end), count
  end

  local function pack_sub_window(instant, count)
    return struct.pack(SUB_WINDOW_FORMAT, math.floor(instant / TWO_32), instant % TWO_32, count)
  end

  function level.read(clock_ms, cost)
    now, used, reset_ms = clock_ms, 0, 0
    first = 11
    if bytes ~= '' then
      local newest, count = unpack_at(1)
      newest_end = end_of_sub_window(newest)
      now, used = math.max(clock_ms, newest), count
      while first < #bytes do
        local last_ms, sub_window_count = sub_window_at(first)
        if last_ms > now - window_ms then
          reset_ms = last_ms + window_ms - clock_ms
          break
        end
        first, used = first + 10, used - sub_window_count
      end
    end
    local must_leave = used + math.max(cost, 1) - limit
    retry_after_ms = 0
    if must_leave > used then
      retry_after_ms = window_ms
    elseif must_leave > 0 then
      local position, last_ms, count = first, nil, nil
      repeat
        last_ms, count = sub_window_at(position)
        must_leave, position = must_leave - count, position + 10
      until must_leave <= 0
      retry_after_ms = last_ms + window_ms - clock_ms
    end
    return retry_after_ms, now
  end

  -- Counts `cost` units in the sub-window of the instant that was read.
  function level.charge(clock_ms, cost)
    local now_end, count = end_of_sub_window(now), cost
    -- The last sub-windows end with the one of the newest instant: usually one, several after a change of the window.
    local earlier_to, newest_count = #bytes, 0
    while earlier_to > first do
      local last_ms, last_count = sub_window_at(earlier_to - 9)
      if last_ms < newest_end then
        break
      end
      earlier_to, newest_count = earlier_to - 10, newest_count + last_count
    end
    local earlier = string.sub(bytes, first, earlier_to)
    if newest_count > 0 and newest_end == now_end then
      count = count + newest_count
    elseif newest_count > 0 then
      earlier = earlier .. pack_sub_window(newest_end, newest_count)
    end
    if used == 0 then
      reset_ms = now_end + window_ms - clock_ms
    end
    used = used + cost
    bytes = pack_sub_window(now, used) .. earlier .. pack_sub_window(now_end, count)
    life_ms = now_end - now + window_ms
    retry_after_ms = used < limit and 0 or reset_ms
  end

  function level.counts()
    return used, retry_after_ms, reset_ms
  end

  -- Takes at most `units` from the sub-window of an instant, if it is still stored.
  function level.refund(at, units)
    local charged_end = end_of_sub_window(at)
    for position = 11, #bytes, 10 do
      local last_ms, count = unpack_at(position)
      if last_ms == charged_end then
        local newest, in_all = unpack_at(1)
        local refunded = math.min(units, count)
        bytes = pack_sub_window(newest, in_all - refunded)
          .. string.sub(bytes, 11, position - 1)
          .. (count > refunded and pack_sub_window(last_ms, count - refunded) or '')
          .. string.sub(bytes, position + 10)
        redis.call('SET', level.key, bytes, 'KEEPTTL')
        return
      end
    end
  end

  function level.save()
    local loaded_newest = loaded == '' and 0 or unpack_instant(loaded, 1)
    write_state(level.key, bytes, life_ms, loaded_newest, unpack_instant(bytes, 1))
  end
end
