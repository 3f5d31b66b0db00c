-- Stores a count for the next owner of a slice, unless a higher one is stored, as by a later owner.
-- KEYS t {N}; ARGV field, count, id of the crawl (nothing is stored for another one)
-- Returns 1, 0 when it was not stored.
if redis.replicate_commands then redis.replicate_commands() end
local call, key, args = redis.call, KEYS[1], ARGV
if call('HGET', KEYS[2], 'id') ~= args[3] then return 0 end
if tonumber(call('HGET', key, args[1]) or 0) >= tonumber(args[2]) then return 0 end
call('HSET', key, args[1], args[2])
return 1
