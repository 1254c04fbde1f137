-- A sliding log with a queue: a call is refused while tickets wait, and the log gives the turn of each ticket.
--
-- Bound: that of the log. Direct calls and served tickets charge the same log.
-- Memory and cost: those of the log; a decision also reads the number of waiting tickets.

-- The time to serve a ticket after its place frees. The first is longer, because the tickets of many places that free
-- one by one are served together.
local FIRST_SERVE_MS, SERVE_MS = 50, 25

local function queued_log(level)
  local limit, window_ms
  sliding_log(level)
  local set_numbers, read = level.set_numbers, level.read

  function level.set_numbers(new_limit, new_window_ms)
    limit, window_ms = new_limit, new_window_ms
    set_numbers(limit, window_ms)
  end

  -- Returns the latest turn of the ticket at a position, by the clock of the log. Beyond the limit, it is the place of
  -- the ticket `limit` positions ahead, which leaves a window after its turn. Worked: with 100 in 10 000 ms and a place
  -- that frees at 7 000, the tickets 1 and 101 are served by 7 050 and 17 075.
  function level.turn_at(position)
    local rounds = math.floor((position - 1) / limit)
    return level.room_at(position - rounds * limit) + FIRST_SERVE_MS + rounds * (window_ms + SERVE_MS)
  end

  function level.read(clock_ms, cost)
    read(clock_ms, cost)
    local waiting = cost > 0 and level.queue_key and redis.call('ZCARD', level.queue_key) or 0
    if waiting > 0 then
      level.retry_after_ms = math.max(level.retry_after_ms, level.turn_at(waiting + 1) - clock_ms)
    end
  end
end
