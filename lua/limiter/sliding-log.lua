-- The exact sliding log: the instant of every admitted unit, packed.
--
-- Bound: at most `limit` units are admitted in any (t - window_ms, t] of the log's clock. A hit at h leaves the window
-- at h + window_ms exactly.
-- Memory: 6 bytes a unit in the window, whatever the limit is. With key and bookkeeping at most 150 B hold 3 units,
-- 900 B hold 100, 8 kB hold 1 000.
-- Cost: one redis.call to read and one to write up to 128 units; above, one or two to read and two to write, and now
-- and then a rewrite of the whole (1 000 000 units: 6 MB, a few milliseconds, once in 80 000 calls). A refused call
-- writes nothing.
--
-- Decides like reference/sliding-log.lua, hit by hit. Numbers may be tuned between calls: the log keeps the hits that
-- the last admitted call found in its window, and each call judges them by its own numbers. A cost above the limit,
-- which only tuning can bring about, is refused and told to come back in a window.
--
-- The log's clock never runs backwards: it is the newest hit's where the given clock is behind that. What a caller is
-- told to wait counts from the given clock, which has to catch up first.
--
-- Two forms, told apart by their length:
--   packed   up to 128 units: hits of 6 bytes, oldest first; written whole
--   ring     more, see hit-ring.lua; written in place
-- A ring is written anew, with a twelfth of its hits to spare and no more slots than the limit, when it is full or more
-- than a seventh of it is empty; then it may become packed again.

--- @include "instant.lua"
--- @include "hit-ring.lua"

local PACKED_HITS, PACKED_BYTES = 128, 768

local function sliding_log(level)
  local limit, window_ms = level.limit, level.window_ms
  local lives_ms = string.format('%.0f', window_ms + LOG_SLACK_MS)
  -- The log as it is stored: its bytes where it is packed, else its ring; how many hits, and the oldest of them.
  local bytes, ring, count, oldest
  -- So many of them have left the window; `oldest` is the first that has not.
  local expired
  local rings

  -- Opens the log of the level's key; its newest hit, 0 where it has none.
  local function open_log()
    bytes = redis.call('GETRANGE', level.key, '0', '768')
    local size = #bytes
    if size > PACKED_BYTES then
      rings = rings or hit_rings()
      ring = rings.open(level.key, bytes)
      count, oldest = ring.count, ring.oldest
      return ring.newest
    end
    if size % 6 > 0 then
      error({ err = 'ERR ' .. level.key .. ' is no log of hits' })
    end
    ring, count, oldest = nil, size / 6, 0
    if size == 0 then
      return 0
    end
    oldest = unpack_instant(bytes, 1)
    return unpack_instant(bytes, size - 5)
  end

  local function bytes_between(first, last)
    if ring then
      return rings.bytes_between(ring, first, last)
    end
    if first == 1 and last == count then
      return bytes
    end
    return string.sub(bytes, first * 6 - 5, last * 6)
  end

  local function hit_of_rank(rank)
    return unpack_instant(bytes_between(rank, rank), 1)
  end

  -- How many hits are at or before that instant, of a log whose oldest is; sets `oldest` to the first one after. It
  -- gallops from the oldest, so that the hits which an admitted call drops pay for having been looked at.
  local function expire_hits(instant, newest)
    if newest <= instant then
      return count
    end
    local gone, stays, step = 1, count, 1
    oldest = newest
    while stays - gone > 1 do
      local rank = math.min(gone + step, math.floor((gone + stays) / 2))
      local hit = hit_of_rank(rank)
      if hit <= instant then
        gone, step = rank, step * 2
      else
        stays, oldest = rank, hit
      end
    end
    return gone
  end

  -- What the log says for a call of `cost` units; a look (cost 0) is told when one unit would fit.
  function level.read(clock_ms, cost)
    local newest = open_log()
    local now = newest > clock_ms and newest or clock_ms
    expired = newest > 0 and oldest <= now - window_ms and expire_hits(now - window_ms, newest) or 0
    local used = count - expired
    local must_leave = used + (cost > 0 and cost or 1) - limit
    local retry_after_ms = 0
    if must_leave > used then
      retry_after_ms = window_ms
    elseif must_leave == 1 then
      retry_after_ms = oldest + window_ms - clock_ms
    elseif must_leave > 1 then
      retry_after_ms = hit_of_rank(expired + must_leave) + window_ms - clock_ms
    end
    level.now, level.used, level.retry_after_ms = now, used, retry_after_ms
    level.reset_ms = used > 0 and oldest + window_ms - clock_ms or 0
  end

  -- Adds `cost` hits at the instant that was read.
  function level.charge(clock_ms, cost)
    local now, used = level.now, level.used + cost
    if level.used == 0 then
      oldest = now
    end
    local hits = pack_instant(now)
    if cost > 1 then
      hits = string.rep(hits, cost)
    end
    local capacity = ring and ring.capacity
    if capacity and used <= capacity and capacity - used <= capacity / 7 then
      ring.count, ring.oldest, ring.newest = used, oldest, now
      rings.append(ring, expired, hits, lives_ms)
    else
      hits = bytes_between(expired + 1, count) .. hits
      if used > PACKED_HITS then
        rings = rings or hit_rings()
        local room = math.min(limit, used + math.ceil(used / 12))
        rings.write({ key = level.key, capacity = room, count = used, oldest = oldest, newest = now }, hits, lives_ms)
      else
        redis.call('SET', level.key, hits, 'PX', lives_ms)
      end
    end
    local reset_ms = oldest + window_ms - clock_ms
    level.used, level.reset_ms = used, reset_ms
    level.retry_after_ms = used < limit and 0 or reset_ms
  end

  -- The newest hits in the window, oldest first.
  function level.hits(most)
    open_log()
    local newest = bytes_between(count - math.min(most, level.used) + 1, count)
    local hits = {}
    for position = 1, #newest, 6 do
      hits[#hits + 1] = unpack_instant(newest, position)
    end
    return hits
  end
end
