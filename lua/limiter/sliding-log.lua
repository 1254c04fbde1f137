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
--   ring     a header, then `capacity` slots of 6 bytes; the hit of rank r is in slot (head + r - 1) % capacity
-- A ring is written anew, with a twelfth of its hits to spare and no more slots than the limit, when it is full or more
-- than a seventh of it is empty; then it may become packed again.

--- @include "instant.lua"

-- Expiry is only tidiness, so it comes later than the last hit leaves: a clock in the caller's hands may run slower
-- than the one that expires keys.
local LOG_SLACK_MS = 60000

local PACKED_HITS, PACKED_BYTES = 128, 768
-- head, capacity, count; the oldest hit, the newest, the instant until which the key is kept
local RING_HEADER, RING_HEADER_BYTES = '>I4I4I4I2I4I2I4I2I4', 30

local function sliding_log()
  -- The log as it is stored. All fields at once, since a table that grows is made anew.
  local function open_log(key)
    local bytes = redis.call('GETRANGE', key, '0', '768')
    local size = #bytes
    if size > PACKED_BYTES then
      local head, capacity, count, oldest, oldest_low, newest, newest_low, kept, kept_low =
        struct.unpack(RING_HEADER, bytes)
      return {
        head = head,
        capacity = capacity,
        kept_until = kept * TWO_32 + kept_low,
        count = count,
        oldest = oldest * TWO_32 + oldest_low,
        newest = newest * TWO_32 + newest_low,
        now = 0,
        expired = 0,
        used = 0,
        retry_after_ms = 0,
        reset_ms = 0,
        delay_ms = 0
      }
    end
    if size % 6 > 0 then
      error({ err = 'ERR ' .. key .. ' is no log of hits' })
    end
    return {
      bytes = bytes,
      count = size / 6,
      oldest = size > 0 and unpack_instant(bytes, 1) or 0,
      newest = size > 0 and unpack_instant(bytes, size - 5) or 0,
      now = 0,
      expired = 0,
      used = 0,
      retry_after_ms = 0,
      reset_ms = 0,
      delay_ms = 0
    }
  end

  -- The bytes of the hits from one rank to another.
  local function hits_between(key, log, first, last)
    if log.bytes then
      return string.sub(log.bytes, first * 6 - 5, last * 6)
    end
    if first > last then
      return ''
    end
    local from, to = (log.head + first - 1) % log.capacity, (log.head + last - 1) % log.capacity
    if from <= to then
      return redis.call('GETRANGE', key, RING_HEADER_BYTES + from * 6, RING_HEADER_BYTES + to * 6 + 5)
    end
    return redis.call('GETRANGE', key, RING_HEADER_BYTES + from * 6, -1)
      .. redis.call('GETRANGE', key, RING_HEADER_BYTES, RING_HEADER_BYTES + to * 6 + 5)
  end

  local function hit_of_rank(key, log, rank)
    if log.bytes then
      return unpack_instant(log.bytes, rank * 6 - 5)
    end
    return unpack_instant(hits_between(key, log, rank, rank), 1)
  end

  -- Counts the hits at or before that instant and sets `oldest` to the first one after. It gallops from the oldest, so
  -- that the hits which an admitted call drops pay for having been looked at.
  local function expire_hits(key, log, instant)
    if log.count == 0 or log.oldest > instant then
      return 0
    end
    if log.newest <= instant then
      return log.count
    end
    local gone, stays, step = 1, log.count, 1
    log.oldest = log.newest
    while stays - gone > 1 do
      local rank = math.min(gone + step, math.floor((gone + stays) / 2))
      local hit = hit_of_rank(key, log, rank)
      if hit <= instant then
        gone, step = rank, step * 2
      else
        stays, log.oldest = rank, hit
      end
    end
    return gone
  end

  -- What the log says for a call of `cost` units; a look (cost 0) is told when one unit would fit.
  local function read(level, clock_ms, cost)
    local key, window_ms = level.key, level.window_ms
    local log = open_log(key)
    local now = math.max(clock_ms, log.newest)
    local expired = expire_hits(key, log, now - window_ms)
    local used = log.count - expired
    local must_leave = used + math.max(cost, 1) - level.limit
    local retry_after_ms = 0
    if must_leave > used then
      retry_after_ms = window_ms
    elseif must_leave == 1 then
      retry_after_ms = log.oldest + window_ms - clock_ms
    elseif must_leave > 1 then
      retry_after_ms = hit_of_rank(key, log, expired + must_leave) + window_ms - clock_ms
    end
    log.now = now
    log.expired = expired
    log.used = used
    log.retry_after_ms = retry_after_ms
    log.reset_ms = used > 0 and log.oldest + window_ms - clock_ms or 0
    return log
  end

  local function ring_header(log)
    local oldest, newest, kept = log.oldest, log.now, log.kept_until
    return struct.pack(
      RING_HEADER,
      log.head,
      log.capacity,
      log.used,
      math.floor(oldest / TWO_32),
      oldest % TWO_32,
      math.floor(newest / TWO_32),
      newest % TWO_32,
      math.floor(kept / TWO_32),
      kept % TWO_32
    )
  end

  -- Writes the whole: the hits in the window and the new ones, in the form that suits their number.
  local function rewrite_log(level, log, hits)
    local key, used, lives_ms = level.key, log.used, level.window_ms + LOG_SLACK_MS
    hits = hits_between(key, log, log.expired + 1, log.count) .. hits
    if used > PACKED_HITS then
      log.head, log.capacity = 0, math.min(level.limit, used + math.ceil(used / 12))
      log.kept_until = log.now + lives_ms
      hits = ring_header(log) .. hits .. string.rep('\0', (log.capacity - used) * 6)
    end
    redis.call('SET', key, hits, 'PX', lives_ms)
  end

  -- Writes the new hits into their slots. The key's expiry is put off only when half its slack is gone.
  local function append_to_ring(level, log, hits)
    local key, capacity = level.key, log.capacity
    local tail = (log.head + log.count) % capacity
    local room = (capacity - tail) * 6
    redis.call('SETRANGE', key, RING_HEADER_BYTES + tail * 6, string.sub(hits, 1, room))
    if #hits > room then
      redis.call('SETRANGE', key, RING_HEADER_BYTES, string.sub(hits, room + 1))
    end
    log.head = (log.head + log.expired) % capacity
    local lives_ms = level.window_ms + LOG_SLACK_MS
    if log.kept_until < log.now + lives_ms - LOG_SLACK_MS / 2 then
      log.kept_until = log.now + lives_ms
      redis.call('PEXPIRE', key, lives_ms)
    end
    redis.call('SETRANGE', key, '0', ring_header(log))
  end

  -- Adds `cost` hits at the state's instant.
  local function charge(level, clock_ms, cost)
    local log = level.state
    if log.used == 0 then
      log.oldest = log.now
    end
    log.used = log.used + cost
    local hits = pack_instant(log.now)
    if cost > 1 then
      hits = string.rep(hits, cost)
    end
    local capacity, used = log.capacity, log.used
    if capacity and used <= capacity and capacity - used <= capacity / 7 then
      append_to_ring(level, log, hits)
    else
      rewrite_log(level, log, hits)
    end
    log.reset_ms = log.oldest + level.window_ms - clock_ms
    log.retry_after_ms = used < level.limit and 0 or log.reset_ms
  end

  -- The newest hits in the window, oldest first.
  local function hits_of(level, count)
    local log = open_log(level.key)
    local bytes = hits_between(level.key, log, log.count - math.min(count, level.state.used) + 1, log.count)
    local hits = {}
    for position = 1, #bytes, 6 do
      hits[#hits + 1] = unpack_instant(bytes, position)
    end
    return hits
  end

  return { read = read, charge = charge, hits = hits_of }
end
