-- Stores that a worker is alive, and removes those that were not for too long.
-- KEYS {N}w {N}; ARGV worker, milliseconds, leaving (1: it ends), id of the crawl (nothing is stored for another one)
-- Returns how many workers are alive.
if redis.replicate_commands then redis.replicate_commands() end
local call, keys, args = redis.call, KEYS, ARGV
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if call('HGET', keys[2], 'id') ~= args[4] then return 0 end
-- The first write needs no memory, so that those after it are allowed when the memory of the engine is full.
call('ZREMRANGEBYSCORE', keys[1], '-inf', now)
-- No worker is granted more than this one: the clock of the engine was set back. One that is alive is added again.
call('ZREMRANGEBYSCORE', keys[1], '(' .. now + args[2], '+inf')
if args[3] == '1' then
    call('ZREM', keys[1], args[1])
else
    call('ZADD', keys[1], now + args[2], args[1])
end
return call('ZCARD', keys[1])
