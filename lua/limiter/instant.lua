-- Encodes instants as bytes, for the states of the limiter, and as text.
--
-- An instant is epoch ms in 6 bytes, big-endian, in two fields: Redis may be compiled to 32 bits, where no single field
-- holds it. Six bytes last until the year 10889.

local TWO_32 = 4294967296

-- Cached, because most calls of a batch have one instant.
local packed_ms, packed
local function pack_instant(ms)
  if ms ~= packed_ms then
    packed_ms, packed = ms, struct.pack('>I2I4', math.floor(ms / TWO_32), ms % TWO_32)
  end
  return packed
end

-- Returns an instant as digits: the default conversion of Lua keeps only 14.
local written_ms, written
local function instant_text(ms)
  if ms ~= written_ms then
    written_ms, written = ms, string.format('%.0f', ms)
  end
  return written
end

-- Decodes the instant at a byte position; the first is 1.
local function unpack_instant(bytes, position)
  local high, low = struct.unpack('>I2I4', bytes, position)
  return high * TWO_32 + low
end

-- The format of a whole number. The conversion of an integer takes a third of the time of a double's, but has 32 bits where
-- Redis is compiled to 32 bits.
local WHOLE = ('%d'):format(TWO_32) == '4294967296' and '%d' or '%.0f'
