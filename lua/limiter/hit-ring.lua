-- The long form of sliding-log.lua: a header, then `capacity` slots of 6 bytes, so that a call writes its own hits and
-- leaves the others where they are. The hit of rank r, 1 the oldest, is in slot (head + r - 1) % capacity.

--- @include "state.lua"

-- A log of at most this many hits is packed, see sliding-log.lua.
local PACKED_HITS = 128

-- head, capacity, count; the oldest hit, the newest, the instant until which the key is kept
local RING_HEADER, RING_HEADER_BYTES = '>I4I4I4I2I4I2I4I2I4', 30

local function hit_rings()
  -- Returns true if a header is valid and its key has the right length: any other text would be read as hits.
  local function is_ring(ring)
    return ring.capacity > PACKED_HITS
      and ring.head < ring.capacity
      and ring.count >= 1
      and ring.count <= ring.capacity
      and ring.oldest <= ring.newest
      and ring.newest <= ring.kept_until
      and redis.call('STRLEN', ring.key) == RING_HEADER_BYTES + ring.capacity * 6
  end

  -- Decodes the ring of a level from the first bytes of its key.
  local function open(level, bytes)
    local head, capacity, count, oldest, oldest_low, newest, newest_low, kept, kept_low =
      struct.unpack(RING_HEADER, bytes)
    local ring = {
      key = level.key,
      head = head,
      capacity = capacity,
      count = count,
      oldest = oldest * TWO_32 + oldest_low,
      newest = newest * TWO_32 + newest_low,
      kept_until = kept * TWO_32 + kept_low
    }
    if not is_ring(ring) then
      refuse_state(level, 'log of hits')
    end
    return ring
  end

  -- Reads the bytes of the hits from one rank to another.
  local function bytes_between(ring, first, last)
    if first > last then
      return ''
    end
    local key, capacity = ring.key, ring.capacity
    local from, to = (ring.head + first - 1) % capacity, (ring.head + last - 1) % capacity
    if from <= to then
      return redis.call('GETRANGE', key, RING_HEADER_BYTES + from * 6, RING_HEADER_BYTES + to * 6 + 5)
    end
    return redis.call('GETRANGE', key, RING_HEADER_BYTES + from * 6, -1)
      .. redis.call('GETRANGE', key, RING_HEADER_BYTES, RING_HEADER_BYTES + to * 6 + 5)
  end

  local function header_of(ring)
    local oldest, newest, kept = ring.oldest, ring.newest, ring.kept_until
    return struct.pack(
      RING_HEADER,
      ring.head,
      ring.capacity,
      ring.count,
      math.floor(oldest / TWO_32),
      oldest % TWO_32,
      math.floor(newest / TWO_32),
      newest % TWO_32,
      math.floor(kept / TWO_32),
      kept % TWO_32
    )
  end

  -- Removes the oldest hits and writes the newest; the caller has set `count`, sets `oldest` and `newest`, and then calls
  -- `save`.
  local function append(ring, expired, hits)
    local key, capacity = ring.key, ring.capacity
    local tail = (ring.head + expired + ring.count - #hits / 6) % capacity
    local room = (capacity - tail) * 6
    redis.call('SETRANGE', key, RING_HEADER_BYTES + tail * 6, string.sub(hits, 1, room))
    if #hits > room then
      redis.call('SETRANGE', key, RING_HEADER_BYTES, string.sub(hits, room + 1))
    end
    ring.head = (ring.head + expired) % capacity
  end

  -- Writes the header. It extends the key's expiry only when half of the slack is used.
  local function save(ring, ttl_ms)
    if ring.kept_until < ring.newest + ttl_ms - EXPIRY_SLACK_MS / 2 then
      ring.kept_until = ring.newest + ttl_ms
      redis.call('PEXPIRE', ring.key, ttl_ms)
    end
    redis.call('SETRANGE', ring.key, '0', header_of(ring))
  end

  -- Writes a new ring from these hits and free slots.
  local function write(ring, hits, ttl_ms)
    ring.head, ring.kept_until = 0, ring.newest + ttl_ms
    local free = string.rep('\0', (ring.capacity - ring.count) * 6)
    redis.call('SET', ring.key, header_of(ring) .. hits .. free, 'PX', ttl_ms)
  end

  return { open = open, bytes_between = bytes_between, append = append, save = save, write = write }
end
