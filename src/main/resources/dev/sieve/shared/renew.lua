-- Renews the ownership of a slice.
-- KEYS o q f m; ARGV run, token, worker, milliseconds, idle (1: the owner has nothing to do in it), URLs that were seen
-- again since the last renewal, call (optional: seen is not added twice for one call, and a call that arrives after a
-- later one changes nothing: the owner may not be idle any more)
-- Returns {frames queued, frames taken, accepted, done, seen}, -1 when the slice has another owner.
if redis.replicate_commands then redis.replicate_commands() end
local call, keys, args = redis.call, KEYS, ARGV
local owner = call('HMGET', keys[1], 'run', 'token', 'worker', 'rc')
if owner[1] ~= args[1] or owner[2] ~= args[2] or owner[3] ~= args[3] then return -1 end
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local queued = call('LLEN', keys[2])
local number, last = tonumber(args[7] or 0), tonumber(owner[4] or 0)
if not args[7] or number >= last then
    -- The first write needs no memory, so that those after it are allowed when the memory of the engine is full.
    if args[5] == '1' and queued == 0 then
        call('HDEL', keys[1], '')
        call('HSET', keys[1], 'idle', 1)
    else
        call('HDEL', keys[1], 'idle')
    end
    call('HSET', keys[1], 'until', now + args[4], 'ttl', args[4], 'rc', number)
    if args[6] ~= '0' and (not args[7] or number > last) then call('HINCRBY', keys[4], 'seen', args[6]) end
end
local sums = call('HMGET', keys[4], 'a', 'done', 'seen')
return {queued, call('HLEN', keys[3]), tonumber(sums[1] or 0), tonumber(sums[2] or 0), tonumber(sums[3] or 0)}
