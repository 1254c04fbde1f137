-- The policy arguments of a call: decoded levels, with the functions of their algorithms.
--
-- As a Redis function, this text runs once, when the function is loaded, and policy arguments are decoded once. As a
-- script, both happen with each call. So an algorithm is one function, which adds its methods to a level when the policy
-- arguments of that level are decoded:
--   set_numbers(limit, window_ms)   sets the numbers of the next calls
--   load()                   reads the state from the level's key
--   read(clock_ms, cost)     returns the time until a call fits, 0 if it does, and its instant by the clock of the state;
--                            for a peek (cost 0), the time until one unit fits. A leaky-bucket sets level.delay_ms.
--   charge(clock_ms, cost)   charges the call that was read
--   counts(clock_ms)         returns used, retry_after_ms and reset_ms of the reply, after read and charge
--   save()                   writes the state
--   hits(max_hits)           returns the newest hits as texts; only of a log
--   refund(at, units, reserved, clock_ms)   returns units of a call that reserved `reserved` at that instant, and writes
--                            the state; not of in-flight
--   has_other_numbers()      returns true if the last admitted call had another limit or window; only of a bucket
--   release(clock_ms, id), renew(clock_ms, id)   change a lease, return false if it is not held; only of in-flight

--- @include "sliding-log.lua"
--- @include "queued-log.lua"
--- @include "sliding-counter.lua"
--- @include "fixed-window.lua"
--- @include "bucket.lua"
--- @include "in-flight.lua"

local algorithms = {
  ['sliding-log'] = sliding_log,
  ['queued-log'] = queued_log,
  ['sliding-counter'] = sliding_counter,
  ['fixed-window'] = fixed_window,
  ['token-bucket'] = token_bucket,
  ['leaky-bucket'] = leaky_bucket,
  ['in-flight'] = in_flight
}

-- Decodes the policy arguments: `policy` in the grammar of server/limiter/stores/codec.ts.
local function decode_policy_args(text)
  local words = {}
  for word in string.gmatch(text, '%S+') do
    words[#words + 1] = tonumber(word) or word
  end
  if #words < 3 or #words % 8 ~= 3 then
    error({ err = 'ERR invalid policy arguments: ' .. text })
  end
  local levels, punishing, personal, leasing = {}, {}, {}, {}
  local queued, shared, has_extras
  for first = 4, #words, 8 do
    local algorithm, limit, window_ms, sub_windows, mode, ban_at, ban_ms, lapse_ms = unpack(words, first, first + 7)
    local enforces = mode == 'enforce' or mode == 'enforce+'
    local level = {
      algorithm = algorithm,
      limit = limit,
      window_ms = window_ms,
      sub_windows = sub_windows,
      shadow = not enforces,
      is_shared = string.sub(mode, -1) == '+',
      is_personal = limit == '*',
      queues = algorithm == 'leaky-bucket' and enforces,
      delay_ms = 0
    }
    algorithms[algorithm](level)
    if limit == '*' then
      personal[#personal + 1] = level
    else
      level.set_numbers(limit, window_ms)
    end
    levels[#levels + 1] = level
    queued = queued or level.turn_at and level
    shared = shared or level.is_shared and level
    has_extras = has_extras or level.queues or level.shadow or level.is_shared
    if level.release then
      leasing[#leasing + 1] = level
    end
    if ban_at > 0 then
      level.punishment = { ban_at = ban_at, ban_ms = ban_ms, lapse_ms = lapse_ms }
      punishing[#punishing + 1] = level
    end
  end
  local kind = type(words[1]) == 'string' and words[1] ~= '*' and words[1]
  local reserve_ms = tonumber(string.match(words[3], '^reserve=(%d+)$'))
  local request_ttl_ms = not reserve_ms and words[3] > 0 and words[3]
  local has_own_cost = words[1] == '*' or kind == 'settle'
  local has_own_numbers = has_own_cost or #personal > 0
  local charges = not kind and words[1] ~= 0
  local has_lease = leasing[1] and words[1] ~= 0 and kind ~= 'settle'
  -- Their calls have the generation of each level, and the reservation.
  local has_reservation = reserve_ms or kind == 'settle'
  shared = not has_reservation and shared
  local has_others = punishing[1] or queued or shared or request_ttl_ms or has_lease
  return {
    -- True if a charge concerns nothing but enforced levels, at least one, whose reply has no more than the three counts.
    is_plain = charges
      and levels[1]
      and not (has_others or has_own_numbers or has_extras or reserve_ms)
      and words[2] == 0,
    kind = kind,
    cost = words[1],
    has_own_cost = has_own_cost,
    leasing = has_lease and leasing,
    has_own_numbers = has_own_numbers,
    hits = words[2],
    request_ttl_ms = request_ttl_ms,
    reserve_ms = reserve_ms,
    -- The lifetime of the text that a call stores besides its levels.
    record_ttl_ms = request_ttl_ms or reserve_ms and reserve_ms + EXPIRY_SLACK_MS,
    levels = levels,
    punishing = punishing,
    personal = personal,
    queued = queued,
    -- The shared level, if its calls only read its generation.
    shared = shared,
    -- True if a call has keys or arguments to select besides the keys of its levels.
    has_others = has_others,
    arg_count = #punishing + (request_ttl_ms and 1 or 0) + (has_lease and 1 or 0) + (has_own_numbers and 1 or 0),
    key_count = #levels
      + (punishing[1] and #punishing + 1 or 0)
      + (queued and 1 or 0)
      + (shared and 1 or 0)
      + (request_ttl_ms and 1 or 0)
      + (has_reservation and #levels + 1 or 0)
  }
end

-- More than the policies of a product. Each changed limit adds one.
local MAX_CACHED = 256
local cached, cached_count = {}, 0

-- Decodes policy arguments, or returns them from the cache.
local function get_policy_args(text)
  local policy_args = cached[text]
  if not policy_args then
    if cached_count == MAX_CACHED then
      cached, cached_count = {}, 0
    end
    policy_args = decode_policy_args(text)
    cached[text], cached_count = policy_args, cached_count + 1
  end
  return policy_args
end
