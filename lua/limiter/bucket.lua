-- The two buckets: used units return evenly, `limit` per window.
--
-- The token bucket: `limit` units may be taken at once.
-- Bound: 2 x `limit` units in any (t - window_ms, t]: a full bucket, and the units that return while it is emptied.
--
-- The leaky bucket as a queue: calls start evenly, and at most `limit` units wait or have just begun. The delay_ms of an
-- admitted call is the time until its start, less than a window; a call that would wait longer is refused.
-- Bound: at most `limit` calls start in any (t - window_ms, t]; of calls that cost c, `limit` + c - 1 units. Admitted,
-- in the queue or out of it, are up to 2 x `limit` units in any window.
-- Worked: 3 per 1 000 ms; of three calls at 0 the first starts at once, the others in ceil(1 000 / 3) = 334 and
-- ceil(2 000 / 3) = 667 ms. A changed limit moves no earlier start. A peek (cost 0) returns the delay of a call at this
-- instant, if it would be admitted. A shadow level delays no call.
--
-- Memory of both: 32 bytes, whatever the limit is.
-- Cost of both: one redis.call to read, one to write; a refused call writes nothing.
--
-- All numbers are whole: used units are counted in `unit x window_ms`, so that in each millisecond exactly `limit`
-- returns. This is the generic cell rate algorithm (ITU-T I.371, appendix A). Worked: 3 per 1 000 ms and 3 units taken at
-- 0 count 3 000; 333 ms later they count 2 001, which is still 3 used units, and the next call waits ceil(1 / 3) = 1 ms.
-- Exact while limit x window_ms <= 2^53, which the declaration of a policy ensures.
--
-- Limit and window may change between calls. Another window: the used units are rounded up to whole units, which return
-- by the new numbers. A lower limit: until the next admitted call, used units return at the rate of the limit at the last
-- admitted call, so no call waits longer than a window; after it, they return at the rate of the new limit.
-- Worked: 10 per 1 000 ms, 10 units taken at 0, then a limit of 2. By 800 ms 8 units have returned, and a call
-- is admitted from 900 ms on. A higher limit counts at once, for the time since the last admitted call too. A cost above
-- the limit, which only a changed limit can cause, is refused with a wait of one window.
--
-- State: the newest instant, the used units at that instant, and the window and limit at the last admitted call.

--- @include "state.lua"

-- Returns the function that returns the time until all used units have returned, from the given clock.
local function token_bucket(level)
  local limit, window_ms
  -- The state; newest is 0 for an unused bucket; and its newest when it was loaded.
  local newest, stored_used, stored_window_ms, stored_limit, loaded_newest
  -- The used units at the instant that was read, in unit x window_ms, and how much of them returns per millisecond.
  local scaled_used, rate
  -- The instant and the wait of the last call.
  local now, retry_after_ms

  function level.set_numbers(new_limit, new_window_ms)
    limit, window_ms = new_limit, new_window_ms
    -- The most used units that the state holds exactly.
    level.max_used = math.floor(MAX_COUNT / new_window_ms)
  end

  function level.load()
    local bytes = redis.call('GET', level.key)
    newest, stored_used, stored_window_ms, stored_limit = 0, 0, window_ms, limit
    if bytes then
      newest, stored_used, stored_window_ms, stored_limit = struct.unpack('>dddd', bytes)
      if not (is_count(newest) and is_count(stored_used) and is_count(stored_window_ms) and is_count(stored_limit)) then
        refuse_state(level, 'bucket')
      end
    end
    loaded_newest = newest
  end

  local function pack_state()
    return struct.pack('>dddd', newest, stored_used, stored_window_ms, stored_limit)
  end

  -- Returns the time from the given clock until `units` fit.
  local function time_to_fit(clock_ms, units)
    local must_return = scaled_used - (limit - units) * window_ms
    return must_return > 0 and now + math.ceil(must_return / rate) - clock_ms or 0
  end

  function level.read(clock_ms, cost)
    now = newest > clock_ms and newest or clock_ms
    scaled_used, rate = stored_used, stored_limit > limit and stored_limit or limit
    if stored_window_ms ~= window_ms then
      scaled_used = math.ceil(stored_used / stored_window_ms) * window_ms
    end
    local returned = (now - newest) * rate
    scaled_used = scaled_used > returned and scaled_used - returned or 0
    retry_after_ms = cost > limit and window_ms or time_to_fit(clock_ms, cost > 0 and cost or 1)
    return retry_after_ms, now
  end

  -- Takes `cost` units at the instant that was read.
  function level.charge(clock_ms, cost)
    scaled_used, rate = scaled_used + cost * window_ms, limit
    newest, stored_used, stored_window_ms, stored_limit = now, scaled_used, window_ms, limit
    retry_after_ms = time_to_fit(clock_ms, 1)
  end

  function level.counts(clock_ms)
    local used = math.ceil(scaled_used / window_ms)
    local of_oldest = scaled_used - (used - 1) * window_ms
    return used, retry_after_ms, used > 0 and now + math.ceil(of_oldest / rate) - clock_ms or 0
  end

  function level.save()
    write_state(level.key, pack_state(), stored_used / limit, loaded_newest, newest)
  end

  -- Returns true if the last admitted call had other numbers.
  function level.has_other_numbers()
    return stored_window_ms ~= window_ms or stored_limit ~= limit
  end

  -- Refunds at most `units` of the `reserved` units that an earlier call took at an instant. Units that have returned by time
  -- are not refunded again. Only if the numbers are still the same.
  function level.refund(at, units, reserved, clock_ms)
    if newest < at then
      return
    end
    local refund_at = math.max(clock_ms, newest)
    local not_returned = math.max(0, reserved * window_ms - (refund_at - at) * limit)
    local refunded = math.min(units * window_ms, not_returned)
    stored_used = math.max(0, stored_used - (refund_at - newest) * limit - refunded)
    newest = refund_at
    -- With a new expiry, because the next write takes the later instant for that of a charge.
    write_state(level.key, pack_state(), stored_used / limit, 0, newest)
  end

  return function(clock_ms)
    return now + math.ceil(scaled_used / rate) - clock_ms
  end
end

local function leaky_bucket(level)
  local empty_in = token_bucket(level)
  local read = level.read

  function level.read(clock_ms, cost)
    local retry_after_ms, now = read(clock_ms, cost)
    level.delay_ms = retry_after_ms == 0 and not level.shadow and empty_in(clock_ms) or 0
    return retry_after_ms, now
  end
end
