-- Reservations: a call is charged its whole cost, and its settling refunds the units that it did not need.
--
-- A reservation is a string, `end cost` and for each level the instant of the charge, 0 if the level was not charged. The
-- settling deletes it, so that a call is settled once. Without one the units stay charged. Atomic with the charge because
-- a reservation without its charge would return the units of other calls.

--- @include "instant.lua"
--- @include "loaded-levels.lua"

-- Returns the text of the reservation of a call that has been charged.
local function reservation_text(levels, cost, end_ms)
  local text = instant_text(end_ms) .. ' ' .. cost
  for index = 1, #levels do
    local level = levels[index]
    text = text .. ' ' .. (level.refuses and '0' or instant_text(level.now))
  end
  return text
end

-- Settles a call, of which policy_args.cost units stay charged. Returns its reply.
local function settle_call(policy_args, clock_ms, keys, first_key)
  local levels = policy_args.levels
  local reservation_key = keys[first_key + #levels]
  local reservation = redis.call('GET', reservation_key)
  if not reservation then
    return '0'
  end
  local next_number = string.gmatch(reservation, '%d+')
  local end_ms, cost = tonumber(next_number()), tonumber(next_number())
  local refund = cost - policy_args.cost
  for index = 1, #levels do
    load_level(levels[index], keys[first_key + index - 1])
  end
  redis.call('DEL', reservation_key)
  if clock_ms >= end_ms then
    return '0'
  end
  for index = 1, #levels do
    local level, at = levels[index], tonumber(next_number())
    if at > 0 and refund > 0 and level.refund then
      level.refund(at, refund, cost, clock_ms)
    end
  end
  return '1'
end
