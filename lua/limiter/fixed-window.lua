-- A counter per window. Windows follow each other from the epoch: windows of 60 000 ms are the minutes of the clock.
--
-- Bound: 2 x `limit` units in any (t - window_ms, t]: all of one window in its last millisecond, all of the next in its
-- first. A limit of 100 a minute lets 100 in at 12:00:59.999 and 100 more at 12:01:00.000.
-- Memory: 16 bytes, whatever the limit is.
-- Cost: one redis.call to read, one to write; a refused call writes nothing.
--
-- Limit and window may change between calls: the count is valid until the window of its newest unit ends by the current
-- window length. A cost above the limit, which only a changed limit can cause, is refused with a wait of one window.
--
-- State: the newest instant and the count.

--- @include "state.lua"

local function fixed_window(level)
  local limit, window_ms
  -- The newest instant and the count, as they are stored; and the newest instant when they were loaded.
  local newest, count, loaded_newest
  -- Of the last call: its instant, the count in its window, and the waits.
  local now, used, retry_after_ms, ends_in_ms

  function level.set_numbers(new_limit, new_window_ms)
    limit, window_ms = new_limit, new_window_ms
  end

  function level.load()
    local bytes = redis.call('GET', level.key)
    newest, count = 0, 0
    if bytes then
      newest, count = struct.unpack('>dd', bytes)
      if not (is_count(newest) and is_count(count)) then
        refuse_state(level, 'fixed window')
      end
    end
    loaded_newest = newest
  end

  function level.read(clock_ms, cost)
    now = math.max(clock_ms, newest)
    used = newest >= now - now % window_ms and count or 0
    ends_in_ms = now - now % window_ms + window_ms - clock_ms
    if cost > limit then
      retry_after_ms = window_ms
    else
      retry_after_ms = used + math.max(cost, 1) > limit and ends_in_ms or 0
    end
    return retry_after_ms, now
  end

  -- Counts `cost` units at the instant that was read.
  function level.charge(_, cost)
    used = used + cost
    newest, count = now, used
    retry_after_ms = used < limit and 0 or ends_in_ms
  end

  function level.counts()
    return used, retry_after_ms, used > 0 and ends_in_ms or 0
  end

  -- Takes at most `units` from the count, if the window of the instant is still that of the newest unit.
  function level.refund(at, units)
    if newest >= at and newest - newest % window_ms == at - at % window_ms then
      count = math.max(0, count - units)
      redis.call('SET', level.key, struct.pack('>dd', newest, count), 'KEEPTTL')
    end
  end

  function level.save()
    local life_ms = window_ms - newest % window_ms
    write_state(level.key, struct.pack('>dd', newest, count), life_ms, loaded_newest, newest)
  end
end
