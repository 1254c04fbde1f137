-- The clock of a decision, in whole milliseconds.
--
-- Redis's own clock, so that every node decides by one clock however wrong its own is. A caller's clock takes its
-- place only where time is simulated: in tests and in the lab.

local function now_ms(callers_clock)
  if callers_clock ~= '' then
    return tonumber(callers_clock)
  end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
