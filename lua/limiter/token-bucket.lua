-- The token bucket: `limit` units may be taken at once, and come back evenly, `limit` per window.
--
-- Bound: 2 x `limit` units in any (t - window_ms, t]: a full bucket, and what comes back while it is being emptied.
-- Memory: 32 bytes, whatever the limit is.
-- Cost: one redis.call to read, one to write; a refused call writes nothing.
-- Formula, a worked number, and what tuning does: bucket.lua.

--- @include "bucket.lua"

local token_bucket = bucket
