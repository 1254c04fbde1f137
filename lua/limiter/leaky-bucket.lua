-- The leaky bucket as a queue: calls start evenly, `limit` per window, and at most `limit` units wait or have just
-- begun. The delay_ms of an admitted call is the time until its start, less than a window; a call that would wait
-- longer is refused.
--
-- Bound: at most `limit` calls start in any (t - window_ms, t]; of calls that cost c, `limit` + c - 1 units. Admitted,
-- in the queue or out of it, are up to 2 x `limit` units in any window.
-- Memory: 32 bytes, whatever the limit is.
-- Cost: one redis.call to read, one to write; a refused call writes nothing.
-- Formula and changed limits: bucket.lua. Worked: 3 per 1 000 ms; of three calls at 0 the first starts at once, the
-- others in ceil(1 000 / 3) = 334 and ceil(2 000 / 3) = 667 ms. A changed limit moves no earlier start.
--
-- A peek (cost 0) returns the delay of a call made now, if it would be admitted. A shadow level delays no call.

--- @include "bucket.lua"

local function leaky_bucket(level)
  local empty_in = bucket(level)
  local read = level.read

  function level.read(clock_ms, cost)
    local retry_after_ms, now = read(clock_ms, cost)
    level.delay_ms = retry_after_ms == 0 and not level.shadow and empty_in(clock_ms) or 0
    return retry_after_ms, now
  end
end
