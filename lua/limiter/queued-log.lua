-- A sliding log with a queue: a call is refused while tickets wait, and the log gives the turn of each ticket.
--
-- Bound: that of the log. Direct calls and served tickets charge the same log.
-- Memory and cost: those of the log; a decision also reads the number of waiting tickets.

-- Units that become free within GATHER_MS are served together, at most GATHERED, so that one call serves several tickets: at
-- 100 units a second, five. Units that were charged together become free together later.
local GATHER_MS, GATHERED = 40, 5
-- The longest time from the instant at which a unit becomes free to its charge. Each call charges at most SERVED units, so
-- those that become free at one instant take SERVED_MS more for each call before theirs.
local SERVE_MS, SERVED, SERVED_MS = GATHER_MS + 10, 100, 5

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
  -- unit that becomes free at 7 000, the tickets 1 and 101 are served by 7 050 and 17 100.
  function level.turn_at(position)
    local rounds = math.floor((position - 1) / limit)
    local calls_before = math.floor((math.min(position, limit) - 1) / SERVED)
    local serve_ms = SERVE_MS + calls_before * SERVED_MS
    return level.room_at(position - rounds * limit) + rounds * window_ms + (rounds + 1) * serve_ms
  end

  -- Returns the instant to serve tickets when no unit of the window that was read is free: that of the last unit which is
  -- served together with the first.
  function level.serve_at(waiting)
    local first = level.room_at(1)
    local serve_at = first
    for index = 2, math.min(waiting, limit, GATHERED) do
      local at = level.room_at(index)
      if at > first + GATHER_MS then
        break
      end
      serve_at = at
    end
    return serve_at
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
