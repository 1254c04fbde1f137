-- A sliding log with a queue: a call is refused while tickets wait, and the log gives the turn of each ticket.
--
-- Bound: that of the log. Direct calls and served tickets charge the same log.
-- Memory and cost: those of the log; a decision also reads the number of waiting tickets.

-- Serving is delayed by at most GATHER_MS, or until GATHERED units are free, so that one call serves several tickets. At 100
-- units a second, one call serves five tickets. Units that were charged together become free together later.
local GATHER_MS, GATHERED = 40, 5
-- The time to serve a ticket after its unit becomes free. That of the first includes the delay.
local FIRST_SERVE_MS, SERVE_MS = GATHER_MS + 10, 25

local function queued_log(level)
  local limit, window_ms
  -- The time until the turn of a new ticket, 0 if none waits.
  local turn_in_ms
  sliding_log(level)
  local set_numbers, read, counts = level.set_numbers, level.read, level.counts

  function level.set_numbers(new_limit, new_window_ms)
    limit, window_ms = new_limit, new_window_ms
    set_numbers(limit, window_ms)
  end

  -- Returns the latest turn of the ticket at a position, by the clock of the log. Beyond the limit, it takes the
  -- unit of the ticket `limit` positions ahead, which leaves a window after its turn. Worked: with 100 in 10 000 ms and a
  -- unit that becomes free at 7 000, the tickets 1 and 101 are served by 7 050 and 17 075.
  function level.turn_at(position)
    local rounds = math.floor((position - 1) / limit)
    return level.room_at(position - rounds * limit) + FIRST_SERVE_MS + rounds * (window_ms + SERVE_MS)
  end

  -- Returns the instant to serve tickets when no unit of the window that was read is free.
  function level.serve_at(waiting)
    local last = level.room_at(math.min(waiting, limit, GATHERED))
    return math.min(last, level.room_at(1) + GATHER_MS)
  end

  function level.read(clock_ms, cost)
    local retry_after_ms, now = read(clock_ms, cost)
    local waiting = cost > 0 and level.queue_key and redis.call('ZCARD', level.queue_key) or 0
    turn_in_ms = waiting > 0 and level.turn_at(waiting + 1) - clock_ms or 0
    return math.max(retry_after_ms, turn_in_ms), now
  end

  function level.counts(clock_ms)
    local used, retry_after_ms, reset_ms = counts(clock_ms)
    return used, math.max(retry_after_ms, turn_in_ms), reset_ms
  end
end
