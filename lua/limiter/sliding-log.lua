-- The exact sliding log: the instant of every admitted unit, packed.
--
-- Bound: at most `limit` units are admitted in any (t - window_ms, t] of the log's clock. A hit at h leaves the window
-- at h + window_ms exactly.
-- Memory: 6 bytes a unit in the window, whatever the limit is. With key and bookkeeping at most 150 B hold 3 units,
-- 900 B hold 100, 8 kB hold 1 000.
-- Cost: one redis.call to read and one to write up to 128 units. Above, two to read, 1 + 2 log2(n) more to find the n units
-- that have left the window, and two to four to write. Now and then the whole is rewritten (1 000 000 units: 6 MB, a few
-- milliseconds, once in 80 000 calls). A refused call writes nothing.
--
-- Limit and window may change between calls: the log keeps the hits that the last admitted call found in its window, and
-- each call applies its own limit and window to them. A cost above the limit, which only a changed limit can cause, is
-- refused with a wait of one window.
--
-- The log's clock never runs backwards: it is the newest hit's where the given clock is behind that. The wait in
-- a reply counts from the given clock, which has to catch up first.
--
-- Two forms, distinguished by their length:
--   packed   up to 128 units: hits of 6 bytes, oldest first; written whole
--   ring     more, see hit-ring.lua; written in place
-- A ring is written anew, with a twelfth of its hits to spare and no more slots than the limit or its hits, when it is full
-- or more than a seventh of it is empty; then it may become packed again.

--- @include "state.lua"
--- @include "hit-ring.lua"

local PACKED_BYTES = PACKED_HITS * 6
-- The last byte that a load reads, as text: one more than a packed log has, which shows that the log is a ring.
local LAST_LOADED_BYTE = PACKED_BYTES .. ''

local function sliding_log(level)
  local limit, window_ms, ttl_ms
  -- The log: its bytes if it is packed, otherwise its ring; the number of hits, the oldest and the newest, 0 if it is
  -- empty; and the newest when it was loaded, 0 if it was a ring.
  local bytes, ring, count, oldest, newest, loaded_newest
  -- Of the last call: its instant, the number of hits that have left the window, the first hit that has not, the number
  -- of those, and the wait.
  local now, expired, first, used, retry_after_ms
  local rings

  function level.set_numbers(new_limit, new_window_ms)
    limit, window_ms = new_limit, new_window_ms
    ttl_ms = string.format(WHOLE, window_ms + EXPIRY_SLACK_MS)
  end

  function level.load()
    bytes = redis.call('GETRANGE', level.key, '0', LAST_LOADED_BYTE)
    local size = #bytes
    ring, count, loaded_newest = nil, size / 6, 0
    if size == 0 then
      oldest, newest = 0, 0
    elseif size > PACKED_BYTES then
      rings = rings or hit_rings()
      ring = rings.open(level, bytes)
      count, oldest, newest = ring.count, ring.oldest, ring.newest
    elseif size % 6 > 0 then
      refuse_state(level, 'log of hits')
    else
      oldest = unpack_instant(bytes, 1)
      newest = size == 6 and oldest or unpack_instant(bytes, size - 5)
      loaded_newest = newest
    end
  end

  local function bytes_between(from, to)
    if ring then
      return rings.bytes_between(ring, from, to)
    end
    return string.sub(bytes, from * 6 - 5, to * 6)
  end

  local function hit_of_rank(rank)
    if ring then
      return unpack_instant(rings.bytes_between(ring, rank, rank), 1)
    end
    return unpack_instant(bytes, rank * 6 - 5)
  end

  -- Returns the number of hits at or before an instant, and the first hit after it. The oldest hit must be at or before
  -- it. A galloping search from the oldest hit: its cost grows with the number of hits that an admitted call drops.
  local function expire_hits(instant)
    if newest <= instant then
      return count, newest
    end
    local gone, stays, step = 1, count, 1
    local after = newest
    while stays - gone > 1 do
      local rank = math.min(gone + step, math.floor((gone + stays) / 2))
      local hit = hit_of_rank(rank)
      if hit <= instant then
        gone, step = rank, step * 2
      else
        stays, after = rank, hit
      end
    end
    return gone, after
  end

  function level.read(clock_ms, cost)
    now = newest > clock_ms and newest or clock_ms
    expired, first = 0, oldest
    if newest > 0 and oldest <= now - window_ms then
      expired, first = expire_hits(now - window_ms)
    end
    used = count - expired
    local must_leave = used + (cost > 0 and cost or 1) - limit
    if must_leave <= 0 then
      retry_after_ms = 0
    elseif must_leave > used then
      retry_after_ms = window_ms
    else
      local leaves = must_leave == 1 and first or hit_of_rank(expired + must_leave)
      retry_after_ms = leaves + window_ms - clock_ms
    end
    return retry_after_ms, now
  end

  -- Returns the number of free units of the window that was read; below 0 after a lower limit.
  function level.room()
    return limit - used
  end

  -- Returns the instant at which the `index`-th next unit becomes free, from 1 to the limit.
  function level.room_at(index)
    local must_leave = used + index - limit
    return must_leave <= 0 and now or hit_of_rank(expired + must_leave) + window_ms
  end

  -- Adds `cost` hits at the instant that was read.
  function level.charge(clock_ms, cost)
    if used == 0 then
      first = now
    end
    used = used + cost
    local hits = pack_instant(now)
    if cost > 1 then
      hits = string.rep(hits, cost)
    end
    local capacity = ring and ring.capacity
    if capacity and used <= capacity and capacity - used <= capacity / 7 then
      ring.count, ring.oldest, ring.newest = used, first, now
      rings.append(ring, expired, hits)
    else
      bytes = (expired == 0 and not ring and bytes or bytes_between(expired + 1, count)) .. hits
      ring = nil
      if used > PACKED_HITS then
        rings = rings or hit_rings()
        -- A settling may charge more units than the limit.
        local room = math.max(used, math.min(limit, used + math.ceil(used / 12)))
        ring = { key = level.key, capacity = room, count = used, oldest = first, newest = now }
        rings.write(ring, bytes, ttl_ms)
        bytes = ''
      end
    end
    count, oldest, newest, expired = used, first, now, 0
    retry_after_ms = used < limit and 0 or first + window_ms - clock_ms
  end

  function level.counts(clock_ms)
    return used, retry_after_ms, used > 0 and first + window_ms - clock_ms or 0
  end

  -- Removes at most `units` hits of an instant. Hits of one instant are interchangeable, because they leave together.
  function level.refund(at, units)
    if count == 0 or oldest > at then
      return
    end
    local rank = expire_hits(at)
    local refunded = math.min(units, rank - (oldest < at and expire_hits(at - 1) or 0))
    local newer = bytes_between(rank + 1, count)
    count = count - refunded
    if count == 0 then
      redis.call('DEL', level.key)
      return level.load()
    end
    if ring then
      ring.count = count
      rings.append(ring, 0, newer)
    else
      bytes = string.sub(bytes, 1, (rank - refunded) * 6) .. newer
      redis.call('SET', level.key, bytes, 'KEEPTTL')
    end
    oldest, newest = hit_of_rank(1), hit_of_rank(count)
    if ring then
      ring.oldest, ring.newest = oldest, newest
      rings.save(ring, ttl_ms)
    end
  end

  function level.save()
    if ring then
      rings.save(ring, ttl_ms)
    else
      write_state(level.key, bytes, window_ms, loaded_newest, newest)
    end
  end

  -- The newest hits in the window as texts, oldest first.
  function level.hits(max_hits)
    local shown = bytes_between(count - math.min(max_hits, used) + 1, count)
    local hits = {}
    for position = 1, #shown, 6 do
      hits[#hits + 1] = instant_text(unpack_instant(shown, position))
    end
    return hits
  end
end
