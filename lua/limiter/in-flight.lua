-- Calls in flight: `limit` calls run at the same time. Each holds a lease, which ends window_ms after the call or after
-- its last renewal, so that the calls of a dead node count no longer than that.
--
-- Bound: `limit` leases are held at any instant. A lease is held until just before its end, and at its end there is room.
-- A call that runs longer than its lease without a renewal no longer counts.
-- Memory: 18 bytes a lease, at most 18 kB for the largest limit, 1 000.
-- Cost: one redis.call to read, one to write; a refused call writes nothing.
--
-- A call takes one lease, whatever it costs. A release or a renewal by another call may change the wait in a reply, which
-- is the time until enough leases have ended by themselves: a release makes room earlier, a renewal later.
-- Limit and lease may change between calls: leases keep the end that their call or their renewal gave them.
--
-- State: per lease its end and its id of 12 characters, in ascending order of the ends.

--- @include "state.lua"

local LEASE_BYTES = 18

local function in_flight(level)
  local limit, lease_ms
  -- The leases, as they are stored, and the clock at which those that had ended were dropped.
  local bytes, now

  function level.set_numbers(new_limit, new_lease_ms)
    limit, lease_ms = new_limit, new_lease_ms
  end

  function level.load()
    bytes = redis.call('GET', level.key) or ''
    if #bytes % LEASE_BYTES > 0 then
      refuse_state(level, 'list of leases')
    end
  end

  local function drop_ended(clock_ms)
    local first = 1
    while first < #bytes and unpack_instant(bytes, first) <= clock_ms do
      first = first + LEASE_BYTES
    end
    bytes, now = string.sub(bytes, first), clock_ms
  end

  -- Inserts a lease behind those that end earlier.
  local function insert(lease_end, id)
    local before = #bytes
    while before > 0 and unpack_instant(bytes, before - LEASE_BYTES + 1) > lease_end do
      before = before - LEASE_BYTES
    end
    bytes = string.sub(bytes, 1, before) .. pack_instant(lease_end) .. id .. string.sub(bytes, before + 1)
  end

  -- Ends a lease. Returns false if it is not held.
  function level.release(clock_ms, id)
    drop_ended(clock_ms)
    local position = string.find(bytes, id, 1, true)
    while position and position % LEASE_BYTES ~= 7 do
      position = string.find(bytes, id, position + 1, true)
    end
    if not position then
      return false
    end
    bytes = string.sub(bytes, 1, position - 7) .. string.sub(bytes, position + 12)
    return true
  end

  function level.counts(clock_ms)
    local used, retry_after_ms = #bytes / LEASE_BYTES, 0
    if used >= limit then
      retry_after_ms = unpack_instant(bytes, (used - limit) * LEASE_BYTES + 1) - clock_ms
    end
    return used, retry_after_ms, used > 0 and unpack_instant(bytes, 1) - clock_ms or 0
  end

  function level.read(clock_ms)
    drop_ended(clock_ms)
    local _, retry_after_ms = level.counts(clock_ms)
    return retry_after_ms, clock_ms
  end

  -- Takes the lease `level.lease_id`.
  function level.charge(clock_ms)
    insert(clock_ms + lease_ms, level.lease_id)
  end

  -- Moves the end of a lease to lease_ms after the clock. Returns false if it is not held.
  function level.renew(clock_ms, id)
    local is_held = level.release(clock_ms, id)
    if is_held then
      insert(clock_ms + lease_ms, id)
    end
    return is_held
  end

  function level.save()
    if bytes == '' then
      redis.call('DEL', level.key)
    else
      local ttl_ms = unpack_instant(bytes, #bytes - LEASE_BYTES + 1) - now + EXPIRY_SLACK_MS
      redis.call('SET', level.key, bytes, 'PX', ttl_ms)
    end
  end
end
