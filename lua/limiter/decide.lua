-- Decides a batch of calls, each on all levels of its policy: a call is admitted and charged on all of them, or refused
-- and charged on none.
--
-- KEYS
--   Of each call of the batch, in order:
--   1..n   one per level, in checking order: the level's state for its subject; expires by itself
--   n+1..  for each level that punishes, in that order: its violations for the subject; expires by itself
--   then   if any level punishes: zset of the policy's bans, members scored by the ban's end; expires by itself
--   then   if a level has a queue: zset of its waiting tickets, only read
--   then   if a level is shared, and the call neither reserves its cost nor is settled: string, the generation of that
--          level (settle.lua), only read
--   then   if the call has a request id: string, set when the id was charged, lives request_ttl_ms: the fingerprint of
--          its input; for a policy with a leaky bucket also a space and the start of the call in epoch ms
--   last   if the call reserves its cost, or is settled: of each level, string, its generation; then string, the
--          reservation (settle.lua); all expire by themselves
-- ARGV
--   groups of calls with the same policy arguments and clock: the grammar is in server/limiter/stores/codec.ts
-- Reply: an error if nothing can be written, else a text with a line per call; its grammar is in codec.ts too
--
-- Atomic because a level may be charged only if every other level admits at the same instant, because the refusal that
-- makes a violation may also start a ban, and because a retry after a lost reply must find its id charged or not charged,
-- never in between. The calls of a batch are decided one after the other, as if each were sent alone.

--- @include "../lib/now.lua"
--- @include "decide-levels.lua"

return decide(KEYS, ARGV)
