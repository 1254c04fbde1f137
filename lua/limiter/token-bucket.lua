-- The token bucket: `limit` units may be taken at once, and return evenly, `limit` per window.
--
-- Bound: 2 x `limit` units in any (t - window_ms, t]: a full bucket, and the units that return while it is emptied.
-- Memory: 32 bytes, whatever the limit is.
-- Cost: one redis.call to read, one to write; a refused call writes nothing.
-- Formula, worked number and changed limits: bucket.lua.

--- @include "bucket.lua"

local token_bucket = bucket
