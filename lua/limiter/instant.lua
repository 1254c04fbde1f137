-- Instants as bytes, of which the states of the limiter are made, and as text.
--
-- An instant is epoch ms in 6 bytes, big-endian, in two fields: Redis may be compiled to 32 bits, where no single field
-- holds it. Six bytes last until the year 10889.

local TWO_32 = 4294967296

-- Calls that come together are of one instant mostly.
local packed_ms, packed
local function pack_instant(ms)
  if ms ~= packed_ms then
    packed_ms, packed = ms, struct.pack('>I2I4', math.floor(ms / TWO_32), ms % TWO_32)
  end
  return packed
end

-- An instant as digits: what Lua makes of a number by itself has no more than 14.
local written_ms, written
local function instant_text(ms)
  if ms ~= written_ms then
    written_ms, written = ms, string.format('%.0f', ms)
  end
  return written
end

-- The instant at that byte; the first is 1.
local function unpack_instant(bytes, position)
  local high, low = struct.unpack('>I2I4', bytes, position)
  return high * TWO_32 + low
end
