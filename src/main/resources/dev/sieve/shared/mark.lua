-- Stores what one worker may do for all, such as log an event of the capacity.
-- KEYS {N}e {N}
-- ARGV field, value, id of the crawl (nothing is stored for another one), replace (optional; 1: a stored value is replaced)
-- Returns 1 to exactly one caller for each field, 0 to the others; with replace, 1 when the value was another.
if redis.replicate_commands then redis.replicate_commands() end
local call, key, args = redis.call, KEYS[1], ARGV
if call('HGET', KEYS[2], 'id') ~= args[3] then return 0 end
-- The first write needs no memory, so that those after it are allowed when the memory of the engine is full.
call('HDEL', key, '')
if args[4] ~= '1' then return call('HSETNX', key, args[1], args[2]) end
if call('HGET', key, args[1]) == args[2] then return 0 end
call('HSET', key, args[1], args[2])
return 1
