-- Writes something, so that the next WAIT on the same connection waits for all that was written before.
-- KEYS {N}; ARGV id of the crawl (nothing is stored for another one)
-- Returns 1, 0 when the crawl of this id is not stored any more.
if redis.replicate_commands then redis.replicate_commands() end
local call, key = redis.call, KEYS[1]
if call('HGET', key, 'id') ~= ARGV[1] then return 0 end
-- The first write needs no memory, so that those after it are allowed when the memory of the engine is full.
call('HDEL', key, '')
call('HSET', key, 'sync', 1)
return 1
