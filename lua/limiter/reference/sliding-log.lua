-- The exact sliding log in a readable form: a sorted set of the admitted hits, scored by the millisecond of their
-- admission. `../sliding-log.lua` makes the same decisions in a twentieth of the memory.
--
-- Bound: at most `limit` units are admitted in any (t - window_ms, t] of the log's clock. A hit at h leaves the window
-- at h + window_ms exactly. Memory grows with the limit (about 100 bytes a hit); reading costs O(log hits).
-- A refused call writes nothing.
--
-- The log's clock never runs backwards: it is the newest hit's where the given clock is behind that. The wait in
-- a reply counts from the given clock, which has to catch up first.

--- @include "../state.lua"

local function sliding_log(level)
  local limit, window_ms
  -- Of the last call: its instant, the number of hits in its window, and the waits.
  local now, used, retry_after_ms, reset_ms

  function level.set_numbers(new_limit, new_window_ms)
    limit, window_ms = new_limit, new_window_ms
  end

  -- Each call reads and writes the sorted set itself.
  function level.load() end
  function level.save() end

  -- Reads the log for a call of `cost` units; a peek (cost 0) returns the time until one unit fits.
  function level.read(clock_ms, cost)
    local newest = redis.call('ZRANGE', level.key, -1, -1, 'WITHSCORES')
    now = math.max(clock_ms, tonumber(newest[2] or 0))
    local expired = redis.call('ZCOUNT', level.key, '-inf', now - window_ms)
    used = redis.call('ZCARD', level.key) - expired

    -- Returns the time until the hit of a rank leaves the window, by the given clock; rank 1 is the oldest.
    local function leaves_in(rank)
      local hit = redis.call('ZRANGE', level.key, expired + rank - 1, expired + rank - 1, 'WITHSCORES')
      return tonumber(hit[2]) + window_ms - clock_ms
    end

    local must_leave = used + math.max(cost, 1) - limit
    retry_after_ms = 0
    if must_leave > used then
      -- A cost above the limit, which only a changed limit can cause, never fits.
      retry_after_ms = window_ms
    elseif must_leave > 0 then
      retry_after_ms = leaves_in(must_leave)
    end
    reset_ms = used > 0 and leaves_in(1) or 0
    return retry_after_ms, now
  end

  -- Adds `cost` hits at the instant that was read. Hits of one millisecond leave together, so their count numbers them.
  function level.charge(clock_ms, cost)
    local key = level.key
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window_ms)
    local same_ms = redis.call('ZCOUNT', key, now, now)
    for unit = 1, cost do
      redis.call('ZADD', key, now, string.format('%.0f-%d', now, same_ms + unit))
    end
    redis.call('PEXPIRE', key, window_ms + EXPIRY_SLACK_MS)
    level.read(clock_ms, 0)
  end

  function level.counts()
    return used, retry_after_ms, reset_ms
  end

  -- Removes at most `units` hits of an instant, the highest numbers first.
  function level.refund(at, units)
    local same_ms = redis.call('ZCOUNT', level.key, at, at)
    for unit = math.max(1, same_ms - units + 1), same_ms do
      redis.call('ZREM', level.key, string.format('%.0f-%d', at, unit))
    end
  end

  -- The newest hits in the window as texts, oldest first.
  function level.hits(max_hits)
    local newest = redis.call('ZRANGE', level.key, -max_hits, -1, 'WITHSCORES')
    local hits = {}
    for index = 2, #newest, 2 do
      if tonumber(newest[index]) > now - window_ms then
        hits[#hits + 1] = newest[index]
      end
    end
    return hits
  end
end
