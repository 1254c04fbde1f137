-- Reservations: a call is charged its whole cost. Its settling refunds the units that it did not need, or charges those
-- above its cost, at the instant of the settling.
--
-- A reservation is a string, `end cost`, then for each level the instant of the charge (0 if the level was not charged) and
-- the id of its generation. The settling deletes it, so that a call is settled once. Without one the units stay charged.
-- Atomic with the charge because a reservation without its charge would return the units of other calls.
--
-- A settling changes nothing on a level whose generation has ended: the units of the call may be gone, and those at its
-- place may be of other calls. A generation ends when its window is cleared (clear-window.lua), and for a counter or bucket
-- also when a call or a settling has another limit or window. A log stores the instant of each unit, which no limit changes.
-- Of a counter, a limit by call (`*`) does not count: calls of different plans charge one counter.
--
-- The generation of a level is a string, `id end numbers`: `end` is an instant after the end of all its reservations. Only
-- settlings and calls that reserve read it, so a plain decision costs nothing. It has an id and not an instant, because a
-- window may be cleared and charged in one millisecond. It exists if the level was cleared, is a counter or bucket, or is
-- shared: a call of another policy reads there whether a settling may end its wait.

--- @include "state.lua"
--- @include "loaded-levels.lua"

local ID_BYTES = 12
-- The most units that a window holds. A state could not hold the overruns of more settlings.
local MAX_USED = 10000000

-- Returns the numbers that end a generation when they change; '' for a log.
local function generation_numbers(level)
  if level.algorithm == 'sliding-log' then
    return ''
  end
  local limit = level.is_personal and not level.has_other_numbers and '*' or level.limit
  return limit .. ' ' .. instant_text(level.window_ms)
end

-- Returns the id and the end of the reservations of a generation, and its numbers; nil without one.
local function read_generation(text)
  if not text then
    return nil
  end
  local id, end_text, numbers = string.match(text, '^(%S+) (%d+) (.*)$')
  return id, tonumber(end_text), numbers
end

local function read_generations(keys, first_generation, count)
  return redis.call('MGET', unpack(keys, first_generation, first_generation + count - 1))
end

-- Returns the id of the generation of a level that a call is about to charge; '-' without one. Begins a generation if the
-- numbers have changed. Rewrites its end once per lease at most. Its key never expires earlier than before.
local function join_generation(level, key, text, reservation)
  local id, reserved_until, numbers = read_generation(text)
  if level.algorithm == 'sliding-log' and not level.is_shared then
    return id or '-'
  end
  local own_numbers = generation_numbers(level)
  local is_same = id and numbers == own_numbers
  if is_same and reserved_until >= reservation.end_ms then
    return id
  end
  id = is_same and id or reservation.new_id
  local reserve_ms = reservation.reserve_ms
  local next_end = instant_text(math.max(reserved_until or 0, reservation.end_ms + reserve_ms))
  local ttl_ms = math.max(redis.call('PTTL', key), 2 * reserve_ms + EXPIRY_SLACK_MS)
  redis.call('SET', key, id .. ' ' .. next_end .. ' ' .. own_numbers, 'PX', ttl_ms)
  return id
end

-- Returns the key and the text of the reservation of a call that has been read and is about to be charged. The keys of its
-- generations follow those of its levels.
local function reserve(group, first_key, cost)
  local keys, levels, reserve_ms = group.keys, group.policy_args.levels, group.policy_args.reserve_ms
  local first_generation = first_key + #levels
  local reservation_key = keys[first_generation + #levels]
  local end_ms = group.clock_ms + reserve_ms
  local reservation =
    { new_id = string.sub(reservation_key, -ID_BYTES), end_ms = end_ms, reserve_ms = reserve_ms }
  local generations = read_generations(keys, first_generation, #levels)
  local text = instant_text(end_ms) .. ' ' .. cost
  for index = 1, #levels do
    local level, key = levels[index], keys[first_generation + index - 1]
    if level.refuses or not level.refund then
      text = text .. ' 0 -'
    else
      local id = join_generation(level, key, generations[index], reservation)
      text = text .. ' ' .. instant_text(level.now) .. ' ' .. id
    end
  end
  return reservation_key, text
end

-- Returns true if a level still has the generation of a charge.
local function has_generation(level, text, charged_id)
  local id, _, numbers = read_generation(text)
  local is_same = not id or (id == charged_id and numbers == generation_numbers(level))
  return is_same and not (level.has_other_numbers and level.has_other_numbers())
end

-- Refunds the units of a charge that the call does not keep, or charges the units above it, at most the limit of the level.
local function settle_level(level, at, cost, kept, clock_ms)
  if kept < cost then
    level.refund(at, cost - kept, cost, clock_ms)
  elseif kept > cost then
    level.read(clock_ms, 0)
    local room = (level.max_used or MAX_USED) - level.counts(clock_ms)
    local overrun = math.min(kept - cost, level.limit, room)
    if overrun > 0 then
      level.charge(clock_ms, overrun)
      save_level(level)
    end
  end
end

-- Returns true if a settling may end the wait of a call on a shared level, which the call only reads.
local function is_reserved(level, clock_ms)
  local _, reserved_until = read_generation(level.generation_key and redis.call('GET', level.generation_key))
  return reserved_until and reserved_until > clock_ms
end

-- Settles a call, of which policy_args.cost units stay charged. Returns its reply.
local function settle_call(group, first_key)
  local policy_args, clock_ms, keys = group.policy_args, group.clock_ms, group.keys
  local levels = policy_args.levels
  local first_generation = first_key + #levels
  local reservation_key = keys[first_generation + #levels]
  local reservation = redis.call('GET', reservation_key)
  if not reservation then
    return '0'
  end
  local next_word = string.gmatch(reservation, '%S+')
  local end_ms, cost = tonumber(next_word()), tonumber(next_word())
  for index = 1, #levels do
    load_level(levels[index], keys[first_key + index - 1])
  end
  redis.call('DEL', reservation_key)
  if clock_ms >= end_ms then
    return '0'
  end
  local generations = read_generations(keys, first_generation, #levels)
  local settled, skipped = 0, 0
  for index = 1, #levels do
    local level, at, charged_id = levels[index], tonumber(next_word()), next_word()
    if at > 0 and has_generation(level, generations[index], charged_id) then
      settle_level(level, at, cost, policy_args.cost, clock_ms)
      settled = settled + 1
    elseif at > 0 then
      skipped = skipped + 1
    end
  end
  return settled == 0 and skipped > 0 and '0' or '1'
end
