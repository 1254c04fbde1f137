-- The stored text of a charged request id: the fingerprint of its input; for a policy with a leaky bucket also a space and
-- the start of the call in epoch ms.

--- @include "state.lua"

-- Returns the text to store for a request id that is charged at this instant.
local function charged_id(levels, input, clock_ms)
  local start_ms
  for index = 1, #levels do
    if levels[index].queues then
      start_ms = math.max(start_ms or 0, clock_ms + levels[index].delay_ms)
    end
  end
  return start_ms and input .. ' ' .. instant_text(start_ms) or input
end

-- Sets the start of a replay to that of the charged call. Returns the input of that call.
local function replay_id(levels, charged, clock_ms)
  local input, start_ms = string.match(charged, '^(%d+) ?(%d*)$')
  -- A call that no bucket delayed has started.
  start_ms = tonumber(start_ms) or 0
  for index = 1, #levels do
    if levels[index].queues then
      levels[index].delay_ms = math.max(0, start_ms - clock_ms)
    end
  end
  return input
end
