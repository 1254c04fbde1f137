-- The arithmetic of token-bucket.lua and leaky-bucket.lua: units that are out and come back evenly, `limit` per window.
--
-- All in whole numbers: what is out is counted in `unit x window_ms`, so that in each millisecond exactly `limit` comes
-- back. This is the generic cell rate algorithm (ITU-T I.371, appendix A). Worked: 3 per 1 000 ms and 3 units taken at
-- 0 are 3 000 out; 333 ms later 2 001 are, still 3 units begun, and the next call has to wait ceil(1 / 3) = 1 ms more.
-- Exact while limit x window_ms <= 2^53, which the declaration of a policy ensures.
--
-- Limit and window may change between calls. Another window: what is out is rounded up to whole units, which come back
-- by the new numbers. A lower limit: until the next admitted call, all that is out comes back at the rate of the limit
-- that was in force at the last admitted call, so no call waits longer than a window; after it, at the rate of the new
-- limit. Worked: 10 per 1 000 ms, 10 units taken at 0, then a limit of 2. By 800 ms 8 units have come back, and a call
-- is admitted from 900 ms on. A higher limit counts at once, for the time since the last admitted call too. A cost above
-- the limit, which only a changed limit can cause, is refused with a wait of one window.
--
-- State: the newest instant, what was out then, and the window and limit by which that was counted.

--- @include "state.lua"

-- Expiry is only tidiness: see sliding-log.lua.
local BUCKET_SLACK_MS = 60000

local function bucket(level)
  local limit, window_ms = level.limit, level.window_ms
  -- What was out at the newest instant, and the numbers by which that was counted; newest is 0 where nothing ever was.
  local newest, was_out, of_window_ms, of_limit
  -- What is out at the instant that was read, and how much of it comes back in a millisecond.
  local out, rate

  function level.load()
    local bytes = redis.call('GET', level.key)
    newest, was_out, of_window_ms, of_limit = 0, 0, window_ms, limit
    if bytes then
      newest, was_out, of_window_ms, of_limit = struct.unpack('>dddd', bytes)
      if not (is_count(newest) and is_count(was_out) and is_count(of_window_ms) and is_count(of_limit)) then
        refuse_state(level, 'bucket')
      end
    end
  end

  -- What the bucket says for a call of `cost` units; a look (cost 0) is told when one unit would fit.
  function level.read(clock_ms, cost)
    local now = math.max(clock_ms, newest)
    out, rate = was_out, math.max(limit, of_limit)
    if of_window_ms ~= window_ms then
      out = math.ceil(was_out / of_window_ms) * window_ms
    end
    out = math.max(0, out - (now - newest) * rate)
    local used = math.ceil(out / window_ms)
    local must_return = out - (limit - math.max(cost, 1)) * window_ms
    local retry_after_ms = 0
    if cost > limit then
      retry_after_ms = window_ms
    elseif must_return > 0 then
      retry_after_ms = now + math.ceil(must_return / rate) - clock_ms
    end
    level.now, level.used, level.retry_after_ms = now, used, retry_after_ms
    level.reset_ms = used > 0 and now + math.ceil((out - (used - 1) * window_ms) / rate) - clock_ms or 0
  end

  -- Takes `cost` units at the instant that was read.
  function level.charge(clock_ms, cost)
    local now = level.now
    out = out + cost * window_ms
    local used = math.ceil(out / window_ms)
    newest, was_out, of_window_ms, of_limit = now, out, window_ms, limit
    local must_return = out - (limit - 1) * window_ms
    level.used = used
    level.retry_after_ms = must_return > 0 and now + math.ceil(must_return / limit) - clock_ms or 0
    level.reset_ms = now + math.ceil((out - (used - 1) * window_ms) / limit) - clock_ms
  end

  function level.save()
    redis.call(
      'SET',
      level.key,
      struct.pack('>dddd', newest, was_out, of_window_ms, of_limit),
      'PX',
      math.ceil(was_out / limit) + BUCKET_SLACK_MS
    )
  end

  -- How long a queue of all that is out takes, from the given clock.
  return function(clock_ms)
    return level.now + math.ceil(out / rate) - clock_ms
  end
end
